import {
  decodeHeader,
  encodeHeader,
  type HeaderInput,
  type HeaderOutput,
  type HeaderSchema,
} from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import { createExtFields, type ExtFields, RemotingCommand } from '../command/remoting-command.js';
import { CommandError, DecodeError, RemotingError } from '../errors.js';
import type { CallParent } from './call-within.js';
import { SystemCode } from './system-code.js';

export interface InvokeOptions {
  /** Ends the call with `ABORTED`. An aborted signal sends nothing. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call waits, as long as its time lasts, for an address that is left alone after failed dials; default false: it fails at once.
   * Of clients only.
   */
  readonly waitForReady?: boolean | undefined;
  /**
   * The request that this call is made for, as its processor or handler sees it: the call takes no longer than that request's caller still waits,
   * and ends with `ABORTED` when its signal does.
   */
  readonly within?: CallParent | undefined;
}

/** What a typed call can be given beside its header; the body is required where its definition has one that cannot be missing. */
export type CallOptions<Body> = InvokeOptions & {
  /** For dial, sending and answer together; default the client's `timeoutMillis`. */
  readonly timeoutMillis?: number | undefined;
  /** Ext fields beside those of the header, for instance unknown ones of a request that is passed on; the header's win. */
  readonly extFields?: Readonly<ExtFields> | undefined;
} & (undefined extends Body ? { readonly body?: Body | undefined } : { readonly body: Body });

/** The options of a call as the last parameter, which may be left out unless they hold a required body. */
export type CallOptionsParameter<Body> = undefined extends Body
  ? [options?: CallOptions<Body>]
  : [options: CallOptions<Body>];

/** An answer, typed by its command's definition. */
export interface CallResult<Response extends HeaderSchema, ResponseBody> {
  readonly header: HeaderOutput<Response>;
  readonly body: ResponseBody;
  /** The whole answer, for fields that the definition does not name. */
  readonly command: RemotingCommand;
}

/** The request of a typed call. */
export function encodeRequest<Request extends HeaderSchema, RequestBody>(
  definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
  header: HeaderInput<Request>,
  body: RequestBody | undefined,
  extFields?: Readonly<ExtFields>,
): RemotingCommand {
  const request = RemotingCommand.request(definition.code);
  request.extFields = encodeHeader(definition.request, header, extFields && createExtFields(extFields));
  if (body !== undefined) request.body = definition.requestBody.encode(body);
  return request;
}

/**
 * The answer to a typed call.
 *
 * @throws CommandError when its code is not SUCCESS
 * @throws DecodeError when it is not what the definition says
 */
export function decodeResponse<Response extends HeaderSchema, ResponseBody>(
  definition: CommandDefinition<HeaderSchema, Response, unknown, ResponseBody>,
  command: RemotingCommand,
  address: string | undefined,
): CallResult<Response, ResponseBody> {
  const at = { address, opaque: command.opaque };
  if (command.code !== SystemCode.SUCCESS)
    throw new CommandError(command.code, command.remark, { ...at, response: command });
  try {
    return {
      header: decodeHeader(definition.response, command.extFields),
      body: definition.responseBody.decode(command.body),
      command,
    };
  } catch (error) {
    const { message } = RemotingError.from(error, 'DECODE_FAILED', 'decoding failed');
    throw new DecodeError(`the answer to ${definition.name} does not decode: ${message}`, { ...at, cause: error });
  }
}
