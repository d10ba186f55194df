import type { Json } from './json.ts';
import type {
  FencingToken,
  FrameNumber,
  InstanceId,
  JournalId,
  LeaseName,
  RequestId,
  Secret,
  SessionId,
} from './ids.ts';
import type { DurationMs } from './time.ts';

/**
 * What a field of a message may be, as plain data. From a table of these come the types (here), the client's
 * check (`frame-check.ts`), the coordinator's zod schemas and the JSON Schema file (`server/net`).
 */
export type Field = FieldKind & { readonly optional?: true };

type FieldKind =
  | { readonly kind: 'name' }
  | { readonly kind: 'token' }
  /** Whole milliseconds. */
  | { readonly kind: 'duration'; readonly min: number; readonly max: number }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'text'; readonly bytesMax: number }
  | { readonly kind: 'id'; readonly of: keyof IdKinds }
  | { readonly kind: 'frame' }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'json'; readonly bytesMax: number }
  | { readonly kind: 'record'; readonly fields: Fields }
  | { readonly kind: 'list'; readonly max: number; readonly item: FieldKind };

interface IdKinds {
  readonly session: SessionId;
  readonly request: RequestId;
  readonly instance: InstanceId;
  readonly journal: JournalId;
  readonly secret: Secret;
}

export interface Fields {
  readonly [field: string]: Field;
}

export interface FrameTable {
  readonly [type: string]: Fields;
}

type KindType<F> = F extends { readonly kind: 'name' }
  ? LeaseName
  : F extends { readonly kind: 'token' }
    ? FencingToken
    : F extends { readonly kind: 'duration' }
      ? DurationMs
      : F extends { readonly kind: 'integer' | 'number' }
        ? number
        : F extends { readonly kind: 'flag' }
          ? boolean
          : F extends { readonly kind: 'text' }
            ? string
            : F extends { readonly kind: 'id'; readonly of: infer K extends keyof IdKinds }
              ? IdKinds[K]
              : F extends { readonly kind: 'frame' }
                ? FrameNumber
                : F extends { readonly kind: 'one-of'; readonly values: readonly (infer V)[] }
                  ? V
                  : F extends { readonly kind: 'json' }
                    ? Json
                    : F extends { readonly kind: 'record'; readonly fields: infer R extends Fields }
                      ? FieldsType<R>
                      : F extends { readonly kind: 'list'; readonly item: infer I }
                        ? readonly KindType<I>[]
                        : never;

type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly optional: true } ? K : never;
}[keyof F];

export type FieldsType<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: KindType<F[K]>;
} & {
  readonly [K in OptionalKeys<F>]?: KindType<F[K]>;
};

/** The union of all messages in a table, told apart by `type`. */
export type MessageOf<T extends FrameTable> = {
  [K in keyof T & string]: { readonly type: K } & FieldsType<T[K]>;
}[keyof T & string];
