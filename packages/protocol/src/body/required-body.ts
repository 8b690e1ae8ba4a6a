import { type BodyCodec, DecodeError } from '@rmqns/remoting/command';

/** The codec of a body that must be there; `name` names it in the error when it is not. */
export function requiredBody<T>(
  name: string,
  encode: (value: T) => Uint8Array,
  decode: (body: Uint8Array) => T,
): BodyCodec<T> {
  return {
    encode,
    decode(bytes) {
      if (bytes === undefined || bytes.length === 0) throw new DecodeError(`${name} is missing: there is no body`);
      return decode(bytes);
    },
  };
}
