import type { BodyCodec } from './define-command.js';

/** A body that may be missing: `undefined` then, and nothing is sent. */
export function optionalBody<T>(inner: BodyCodec<T>): BodyCodec<T | undefined> {
  return {
    encode: (value) => (value === undefined ? undefined : inner.encode(value)),
    decode: (bytes) => (bytes === undefined ? undefined : inner.decode(bytes)),
  };
}
