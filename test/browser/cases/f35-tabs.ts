import { CURRENT_MS_MAX, OPTIONS, playHole } from '../../real/cases/f35.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { onStage } from './support/on-stage.ts';

const { maxBackoffMs, connectTimeoutMs } = OPTIONS;
const TTL_MS = 30_000;
/**
 * Chromium holds the dials of a page back after many failures, by up to this, and the client leaves each alone for as much
 * longer. The one that goes out into the last of the hole is waited for: in full there are many.
 */
const HELD_BACK_MS_MAX = 5_000;

export const F35_TABS: FieldCase = {
  id: 'F35-TABS',
  title: 'S10 a tab whose socket says OPEN while nobody is there gives it up, and does not wait for its end',
  async run(bench, size) {
    await onStage(
      bench,
      async (stage) => {
        const { client: owner } = stage.process('owner', TTL_MS);
        const options = { maxBackoffMs, connectTimeoutMs };
        const holder = await stage.tab('holder', TTL_MS, options);
        const idle = await stage.tab('idle', TTL_MS, options);
        await Promise.all([owner, holder.client, idle.client].map((client) => client.ready(30_000)));
        const currentMsMax = CURRENT_MS_MAX + (size === 'full' ? HELD_BACK_MS_MAX : 0);
        const cast = {
          relay: stage.relay,
          owner,
          holder: holder.client,
          idle: idle.client,
          canCut: false,
          currentMsMax,
        };
        await playHole(bench, cast, size);
      },
      { relayed: true },
    );
  },
};
