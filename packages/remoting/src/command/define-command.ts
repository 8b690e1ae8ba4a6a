import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import type { HeaderSchema } from './custom-header.js';

/** How a body's bytes become a value and back. `undefined` stands for no body. */
export interface BodyCodec<T> {
  encode(value: T): Uint8Array | undefined;
  /** @throws DecodeError when the bytes are no `T` */
  decode(bytes: Uint8Array | undefined): T;
}

/** What both ends of one request code agree on. */
export interface CommandDefinition<
  Request extends HeaderSchema = HeaderSchema,
  Response extends HeaderSchema = HeaderSchema,
  RequestBody = unknown,
  ResponseBody = unknown,
> {
  readonly code: number;
  readonly name: string;
  readonly request: Request;
  readonly response: Response;
  readonly requestBody: BodyCodec<RequestBody>;
  readonly responseBody: BodyCodec<ResponseBody>;
}

export interface CommandDefinitionInit<
  Request extends HeaderSchema,
  Response extends HeaderSchema,
  RequestBody,
  ResponseBody,
> {
  /** The request code. */
  readonly code: number;
  /** Upstream's constant, for instance `REGISTER_BROKER`. */
  readonly name: string;
  /** Fields of the request header; default none. */
  readonly request?: Request;
  /** Fields of the response header; default none. */
  readonly response?: Response;
  /** Default {@link bytes}. */
  readonly requestBody?: BodyCodec<RequestBody>;
  /** Default {@link bytes}. */
  readonly responseBody?: BodyCodec<ResponseBody>;
}

const bytesCodec: BodyCodec<Uint8Array | undefined> = { encode: (value) => value, decode: (value) => value };

/** A body of plain bytes, or none. */
export function bytes(): BodyCodec<Uint8Array | undefined> {
  return bytesCodec;
}

/** The empty schema: a header without fields. */
export type NoHeader = Record<never, never>;

/**
 * Defines one request code for both ends; the definition is data, nothing is registered.
 *
 * @throws RemotingError `INVALID_ARGUMENT` for a code that is no 32-bit integer, or a field or body that was not made for it
 */
export function defineCommand<
  Request extends HeaderSchema = NoHeader,
  Response extends HeaderSchema = NoHeader,
  RequestBody = Uint8Array | undefined,
  ResponseBody = Uint8Array | undefined,
>(
  init: CommandDefinitionInit<Request, Response, RequestBody, ResponseBody>,
): CommandDefinition<Request, Response, RequestBody, ResponseBody> {
  const problem = problemOf(init);
  if (problem !== undefined) throw new RemotingError('INVALID_ARGUMENT', `the command ${init.name} ${problem}`);
  return {
    code: init.code,
    name: init.name,
    request: init.request ?? ({} as Request),
    response: init.response ?? ({} as Response),
    requestBody: init.requestBody ?? (bytesCodec as BodyCodec<unknown> as BodyCodec<RequestBody>),
    responseBody: init.responseBody ?? (bytesCodec as BodyCodec<unknown> as BodyCodec<ResponseBody>),
  };
}

/** For callers not written in TypeScript, which else learn of it with the first call. */
function problemOf(init: {
  readonly code: number;
  readonly request?: HeaderSchema;
  readonly response?: HeaderSchema;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}): string | undefined {
  const { code, request = {}, response = {}, requestBody = bytesCodec, responseBody = bytesCodec } = init;
  if (code !== (code | 0)) return `must have a 32-bit integer as code, not ${textOfGiven(code)}`;
  for (const [what, schema] of Object.entries({ request, response }))
    for (const [name, field] of Object.entries(schema))
      if (typeof (field as Partial<typeof field>).parse !== 'function')
        return `has a ${what} field ${name} that is no field, such as t.string(), but ${textOfGiven(field)}`;
  for (const [what, codec] of Object.entries({ requestBody, responseBody }))
    if (typeof (codec as Partial<BodyCodec<unknown>> | null)?.decode !== 'function')
      return `has a ${what} that is no BodyCodec, such as json(), but ${textOfGiven(codec)}`;
  return undefined;
}
