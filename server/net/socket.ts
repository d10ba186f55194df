/** Port: one socket, as little of it as a connection needs. */
export interface Socket {
  /** `written` is called when the text has left this process. */
  send(text: string, written: () => void): void;
  /** A ping of the WebSocket protocol: the peer answers by itself once it has read all that was sent before it. */
  ping(): void;
  /** Says good-bye with this code; the peer's answer may never come. */
  close(closeCode: number, reason: string): void;
  /** Cuts it at once. */
  terminate(): void;
  pause(): void;
  resume(): void;
  /** Bytes that were handed over and have not left this process. */
  readonly bufferedBytes: number;
}

/** What a socket tells the one behind it. */
export interface SocketListener {
  /** Whether the bytes that come in need no counting any more, since frames are bounded from here on. */
  readonly isWelcomed: boolean;
  received(bytes: number): void;
  /** A ping, or a pong that nobody asked for. */
  control(): void;
  pong(): void;
  message(bytes: Uint8Array, text: () => string, isBinary: boolean): void;
  protocolBroken(text: string): void;
  closed(): void;
}
