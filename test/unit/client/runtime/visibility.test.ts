import { describe, expect, it } from 'vitest';
import { preferVisible, type Following, type Preferring, type Sight } from '../../../../client/runtime/visibility.ts';
import { monoMs } from '../../../../shared/time.ts';

/** A page and an election that this file moves. */
class Scene implements Sight, Preferring {
  isVisible: boolean;
  following = false;
  ms = 0;
  /** What was done, in order. */
  readonly did: string[] = [];
  timer: { readonly at: number; readonly wake: () => void } | null = null;
  readonly #followed: Following;
  #changed: () => void = () => undefined;

  constructor(isVisible: boolean) {
    this.isVisible = isVisible;
    this.#followed = preferVisible(this, this);
  }

  readonly follow = (changed: () => void): (() => void) => {
    this.following = true;
    this.#changed = changed;
    return () => (this.following = false);
  };
  readonly now = () => monoMs(this.ms);
  readonly after = (ms: number, wake: () => void): (() => void) => {
    const timer = { at: this.ms + ms, wake };
    this.timer = timer;
    return () => {
      if (this.timer === timer) this.timer = null;
    };
  };
  readonly amend = (above: 0 | 1): void => void this.did.push(`amend ${above}`);
  readonly resign = (): void => void this.did.push('resign');

  tell(kind: 'elected' | 'over' | 'asked' | 'cut'): this {
    this.#followed.tell({ kind });
    return this;
  }
  look(isVisible: boolean): this {
    this.isVisible = isVisible;
    this.#changed();
    return this;
  }
  pass(ms: number): this {
    this.ms += ms;
    const { timer } = this;
    if (timer === null || timer.at > this.ms) return this;
    this.timer = null;
    timer.wake();
    return this;
  }
  stop(): void {
    this.#followed.stop();
  }
}

describe('an election that prefers the page in sight', () => {
  it('asks with 1 more while the page is visible, and not otherwise', () => {
    expect(new Scene(true).look(false).look(true).look(true).did).toEqual(['amend 1', 'amend 0', 'amend 1']);
    expect(new Scene(false).did).toEqual(['amend 0']);
  });

  it('makes way when it is asked out of sight, and never in sight', () => {
    const scene = new Scene(true).tell('elected').pass(2_000).tell('asked');
    expect(scene.did).toEqual(['amend 1']);
    expect(scene.look(false).tell('asked').did).toEqual(['amend 1', 'amend 0', 'resign']);
  });

  it('makes way after its minimum hold, once, and not where it has come into sight meanwhile', () => {
    const scene = new Scene(false).tell('elected').pass(500).tell('asked').tell('asked').pass(1_499);
    expect(scene.did).toEqual(['amend 0']);
    expect(scene.pass(1).did).toEqual(['amend 0', 'resign']);
    const seen = new Scene(false).tell('elected').tell('asked').look(true).pass(5_000);
    expect(seen.did).toEqual(['amend 0', 'amend 1']);
  });

  it('does nothing for what was asked of a leadership that is over', () => {
    const scene = new Scene(false).tell('elected').tell('asked').tell('over').tell('elected').pass(5_000);
    expect(scene.did).toEqual(['amend 0']);
  });

  it('follows the page until it is stopped, and leaves no timer', () => {
    const scene = new Scene(false).tell('elected').tell('asked');
    expect([scene.following, scene.timer?.at]).toEqual([true, 2_000]);
    scene.stop();
    expect([scene.following, scene.timer]).toEqual([false, null]);
  });
});
