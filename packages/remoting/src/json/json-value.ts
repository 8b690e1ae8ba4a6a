/**
 * A value read from JSON text. Integers beyond ±(2^53-1) are a bigint, exact.
 *
 * A string never holds on to the text it was read from, so it may be kept for as long as one likes.
 */
export type JsonValue = null | boolean | string | number | bigint | readonly JsonValue[] | JsonObject;

/**
 * An object read from JSON text: an ordinary object whose own properties are the members, `__proto__` and `constructor` included.
 * Read it with {@link jsonField}, `Object.entries` or `Object.hasOwn`; a bare `object[name]` may meet what every object inherits.
 * As in every JavaScript object, members whose names are small integers come first, in numeric order.
 */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** How deep arrays and objects may lie in each other, both in reading and in writing. */
export const MAX_JSON_DEPTH = 256;
