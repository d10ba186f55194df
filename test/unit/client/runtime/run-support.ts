import { rig, type Rig } from './support.ts';

/** Answers each release, as a coordinator would. */
export function releasing(options = {}): Rig {
  const made = rig(options);
  const { core } = made;
  const before = core.answer;
  core.answer = (event, now) => {
    if (event.kind !== 'release') return before(event, now);
    if (core.leases.delete(event.key)) {
      return [
        { kind: 'lease', key: event.key, news: { kind: 'released' } },
        { kind: 'settle', reference: event.reference, outcome: { kind: 'released', released: true, code: undefined } },
      ];
    }
    return [
      { kind: 'settle', reference: event.reference, outcome: { kind: 'released', released: false, code: 'expired' } },
    ];
  };
  return made;
}

export const lost = { kind: 'lost', code: 'expired', attempts: [] } as const;
export const kinds = ({ core }: Rig): string[] => core.events.map(({ kind }) => kind).filter((kind) => kind !== 'wake');

/** A promise and its ends. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}
