/** A JSON value: what a lease's state, a client's metadata and every frame are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
