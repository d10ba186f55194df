/** `T` with every field that may be undefined optional instead. */
export type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** For messages: JSON writes no field that is undefined, so only its type has to go. */
export function present<const T extends object>(fields: T): Present<T> {
  return fields;
}
