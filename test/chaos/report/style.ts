/** The measures and the look of the picture, once. */
export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
export const MONO = "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace";

export const WIDTH = 1_280;
export const MARGIN = 32;
/** What stands left of the time: names of lanes. */
export const GUTTER = 104;
export const PLOT_LEFT = MARGIN + GUTTER;
export const PLOT_WIDTH = WIDTH - MARGIN - PLOT_LEFT;

/** Custom properties, so that one picture is right on both backgrounds. What believes has dark text in both. */
export const STYLE = `
svg { --ground: #ffffff; --ink: #1d2733; --quiet: #5c6a79; --faint: #e4e8ed; --lane: #f4f6f8; --fault: #8a96a3; --down: #3d4956; --alarm: #d3003f; font-family: ${FONT}; }
@media (prefers-color-scheme: dark) {
svg { --ground: #11161c; --ink: #e6ebf0; --quiet: #97a5b3; --faint: #2a333d; --lane: #181f27; --fault: #76838f; --down: #c3ccd5; --alarm: #ff5c8a; }
}
.ground { fill: var(--ground); } .lane { fill: var(--lane); } .grid { stroke: var(--faint); stroke-width: 1; }
text { fill: var(--ink); font-size: 12px; } .quiet { fill: var(--quiet); } .tiny { font-size: 10px; } .small { font-size: 11px; }
.head { font-size: 22px; font-weight: 650; letter-spacing: -0.01em; } .section { font-size: 14px; font-weight: 600; }
.number { font-size: 10px; fill: #16202b; font-variant-numeric: tabular-nums; } .right { text-anchor: end; } .middle { text-anchor: middle; }
.fault { fill: var(--fault); fill-opacity: 0.3; stroke: var(--fault); stroke-width: 0.75; } .down { fill: var(--down); stroke: none; }
.stopped { fill: url(#hatch); stroke: var(--down); stroke-width: 0.75; } .hatch { stroke: var(--down); stroke-width: 1.5; }
.shadow { fill: var(--down); fill-opacity: 0.09; } .shadow-stopped { fill: url(#hatch); fill-opacity: 0.16; }
.on-down { fill: var(--ground); } .loss { fill: none; stroke: var(--ink); stroke-width: 1.6; } .loss-head { fill: var(--ink); }
.frame { fill: none; stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 2; } .badge { fill: var(--quiet); } .on-badge { fill: var(--ground); font-size: 9px; font-weight: 600; text-anchor: middle; }
.alarm { fill: none; stroke: var(--alarm); stroke-width: 2.5; } .alarm-text { fill: var(--alarm); font-weight: 700; } .alarm-ground { fill: var(--alarm); } .on-alarm { fill: var(--ground); font-weight: 700; }
`;

/** A fault that takes the coordinator away, wholly or for a while: what everybody else then lives with. */
export const isDown = (kind: string): boolean => kind === 'kill-coordinator';
export const isStopped = (kind: string): boolean => kind === 'stop-coordinator' || kind === 'pause-coordinator';

export const classOf = (kind: string): string => (isDown(kind) ? 'down' : isStopped(kind) ? 'stopped' : 'fault');
