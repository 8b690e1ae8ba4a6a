import type { HeaderInput, HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import type { ExtFields, RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import { encodeRequest } from './typed-call.js';

// Checks of what is registered, for callers not written in TypeScript: at the line that is wrong, instead of at the first request.

function refuse(what: string, given: unknown): never {
  throw new RemotingError('INVALID_ARGUMENT', `${what}, not ${textOfGiven(given)}`);
}

export function checkFunction(what: string, given: unknown): void {
  if (typeof given !== 'function') refuse(`${what} must be a function`, given);
}

/** A request code is an integer of 32 bits; those above 32,767 do not fit into binary headers. */
export function checkCode(code: unknown): void {
  if (code !== ((code as number) | 0)) refuse('a request code must be a 32-bit integer', code);
}

export function checkProcessor(given: unknown): void {
  if (typeof (given as { processRequest?: unknown } | undefined | null)?.processRequest !== 'function')
    refuse('a processor must be an object with a method processRequest(ctx, request)', given);
}

export function checkHook(given: unknown): void {
  if (typeof given !== 'object' || given === null)
    refuse('an RPC hook must be an object with doBeforeRequest, doAfterResponse or both', given);
}

export function checkDefinition(given: unknown): void {
  const { requestBody, responseBody } = (given ?? {}) as { requestBody?: unknown; responseBody?: unknown };
  if (requestBody === undefined || responseBody === undefined)
    refuse('a command must be what defineCommand gave', given);
}

/** The request of a typed call, whose definition, header and body are there. */
export function encodeWholeRequest<Request extends HeaderSchema, RequestBody>(
  definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
  header: HeaderInput<Request>,
  body: RequestBody | undefined,
  extFields: Readonly<ExtFields> | undefined,
): RemotingCommand {
  checkDefinition(definition);
  if (typeof header !== 'object' || header === null)
    refuse(`the header of ${definition.name} must be an object, {} where it has no fields`, header);
  const request = encodeRequest(definition, header, body, extFields);
  // A codec whose body must be there says so.
  if (body === undefined) request.body = definition.requestBody.encode(body as RequestBody);
  return request;
}
