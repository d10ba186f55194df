import type { ClientMessage } from '../../../shared/frames.ts';
import type { Input, Output } from '../core-types.ts';
import { appendEnded } from './appends.ts';
import { carry } from './carry.ts';
import type { Core, Moment } from './core-state.ts';
import { takeHello } from './hello.ts';
import { handleMessage } from './messages.ts';
import { beginDrain, configure, revoke } from './operator.ts';
import { readFrame } from './session.ts';
import type { SessionEntry } from './session-book.ts';

type FrameInput = Extract<Input, { readonly kind: 'frame' }>;

/** Applies one input of a turn. What is said goes to the outbox; answers to operators are returned. */
export function takeInput(core: Core, input: Input, moment: Moment): readonly Output[] {
  switch (input.kind) {
    case 'hello': {
      const entry = takeHello(core, input, moment);
      if (entry !== null && !core.outbox.holds(input.socket)) handleAll(core, entry, input.rest, moment);
      return [];
    }
    case 'frame':
      takeFrame(core, input, moment);
      return [];
    case 'socket-closed': {
      const entry = core.book.bySocket(input.socket);
      core.outbox.forget(input.socket);
      if (entry !== undefined) carry(core, entry, input, moment);
      return [];
    }
    case 'congestion':
      if (core.book.bySocket(input.socket) !== undefined) core.watches.congest(input.socket, input.congested);
      return [];
    case 'appended':
      return appendEnded(core, input, moment);
    case 'revoke':
      return revoke(core, input, moment);
    case 'configure':
      configure(core, input, moment);
      return [];
    case 'drain':
      beginDrain(core, input, moment);
      return [];
    default:
      return input satisfies never;
  }
}

/** A frame of a socket that no session is bound to is neither applied nor answered (R9). */
function takeFrame(core: Core, { socket, frame, messages, goesOn = false }: FrameInput, moment: Moment): void {
  const entry = core.book.bySocket(socket);
  // Before its `welcome` has left nothing may be said on a socket (P-2): what is, would wait for an answer without bound.
  if (entry === undefined || core.outbox.holds(socket)) return;
  // Anchors name the instant at which a frame was read: that was with its first part.
  if (!goesOn) carry(core, entry, readFrame(entry.session, socket, frame), moment);
  handleAll(core, entry, messages, moment);
}

/** In their order, for as long as the socket speaks for the session: nothing is heard behind a `bye`. */
function handleAll(core: Core, entry: SessionEntry, messages: readonly ClientMessage[], moment: Moment): void {
  for (const message of messages) {
    const { session } = entry;
    if (session.kind !== 'bound') return;
    handleMessage(core, { entry, session }, message, moment);
  }
}
