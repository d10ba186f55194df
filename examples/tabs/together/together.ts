/** What all tabs of this browser know together: what happened in each, and which of them are there. */
import { channel, type Channel, type Message } from './channel.ts';
import { Chronicle } from './chronicle.ts';
import type { Happening } from './happenings.ts';
import type { Presence } from './presence.ts';

export class Together {
  readonly #chronicle = new Chronicle();
  readonly #heard = new Map<string, Presence>();
  readonly #channel: Channel;
  /** Called at each message of another tab. */
  onHeard: (message: Message) => void = () => undefined;

  constructor() {
    this.#channel = channel((message) => this.#hear(message));
    this.#say({ kind: 'hello' });
  }

  /**
   * Lets the browser keep the page for its way back. To be called behind all that says something when the page is put away:
   * listeners are called in the order in which they came.
   */
  restWhenPutAway(): void {
    addEventListener('pagehide', ({ persisted }) => {
      if (persisted) this.#channel.close();
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      this.#channel.reopen();
      this.#say({ kind: 'hello' });
      // Some of it nobody has heard.
      this.#say({ kind: 'happened', happenings: this.happenings });
    });
  }

  /** In order of time; the same list for as long as nothing new is in it. */
  get happenings(): readonly Happening[] {
    return this.#chronicle.list;
  }

  /** The last sign of life of each tab. */
  get heard(): ReadonlyMap<string, Presence> {
    return this.#heard;
  }

  write(happening: Happening): void {
    this.#chronicle.add([happening]);
    this.#say({ kind: 'happened', happenings: [happening] });
  }

  here(presence: Presence): void {
    this.#heard.set(presence.tab, presence);
    this.#say({ kind: 'here', presence });
  }

  prefer(isVisible: boolean): void {
    this.#say({ kind: 'prefer', isVisible });
  }

  #say(message: Message): void {
    this.#channel.say(message);
  }

  #hear(message: Message): void {
    if (message.kind === 'happened') this.#chronicle.add(message.happenings);
    if (message.kind === 'here') this.#heard.set(message.presence.tab, message.presence);
    // Each answers with all it knows, of tabs that are closed too; what comes twice is known already.
    if (message.kind === 'hello' && this.happenings.length > 0)
      this.#say({ kind: 'happened', happenings: this.happenings });
    this.onHeard(message);
  }
}
