import type { Channel } from '../channel/channel.js';
import {
  decodeHeader,
  encodeHeader,
  type HeaderInput,
  type HeaderOutput,
  type HeaderSchema,
} from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import { createExtFields, type ExtFields, RemotingCommand } from '../command/remoting-command.js';
import type { RequestContext, RequestProcessor } from './request-processor.js';
import { SystemCode } from './system-code.js';

/** A request as a typed handler sees it. */
export interface TypedRequest<Request extends HeaderSchema, RequestBody> {
  readonly header: HeaderOutput<Request>;
  readonly body: RequestBody;
  /** The whole command, for fields that the definition does not name. */
  readonly command: RemotingCommand;
  readonly channel: Channel;
  /** Aborted when the connection ends, the server cuts the request off, or the caller's deadline passes. */
  readonly signal: AbortSignal;
  /** How long the caller still waits, where it said so; else `Infinity`. */
  readonly remainingMillis: () => number;
}

type HeaderPart<Response extends HeaderSchema> =
  Record<never, never> extends HeaderInput<Response>
    ? { readonly header?: HeaderInput<Response> | undefined }
    : { readonly header: HeaderInput<Response> };

type BodyPart<Body> = undefined extends Body ? { readonly body?: Body | undefined } : { readonly body: Body };

/**
 * What a typed handler answers. Header and body may be left out where the definition lets them be missing; a code other than SUCCESS
 * may come with both. An answer that is a failure and nothing else is thrown as a CommandError.
 */
export type TypedResponse<Response extends HeaderSchema, ResponseBody> = HeaderPart<Response> &
  BodyPart<ResponseBody> & {
    /** Default SUCCESS. */
    readonly code?: number | undefined;
    readonly remark?: string | undefined;
    /** Ext fields beside those of the header, for instance the request's, unknown ones among them; the header's win. */
    readonly extFields?: Readonly<ExtFields> | undefined;
  };

/** A handler whose answer may be empty need not return one. */
type TypedHandlerResult<Response extends HeaderSchema, ResponseBody> =
  | TypedResponse<Response, ResponseBody>
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without return statement is the simplest one
  | (Record<never, never> extends TypedResponse<Response, ResponseBody> ? void : never);

export type TypedHandler<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody> = (
  request: TypedRequest<Request, RequestBody>,
) => TypedHandlerResult<Response, ResponseBody> | Promise<TypedHandlerResult<Response, ResponseBody>>;

interface UntypedResponse<Response extends HeaderSchema, ResponseBody> {
  readonly code?: number | undefined;
  readonly remark?: string | undefined;
  readonly extFields?: Readonly<ExtFields> | undefined;
  readonly header?: HeaderInput<Response> | undefined;
  readonly body?: ResponseBody | undefined;
}

/** Makes a processor of a command's definition and a handler of typed requests. A header that does not decode is SYSTEM_ERROR. */
export function typedProcessor<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
  definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
  handler: TypedHandler<Request, Response, RequestBody, ResponseBody>,
): RequestProcessor {
  const respond = (result: TypedHandlerResult<Response, ResponseBody>): RemotingCommand => {
    const { code, remark, header, body, extFields } = (result ?? {}) as UntypedResponse<Response, ResponseBody>;
    const into = extFields && createExtFields(extFields);
    const response = RemotingCommand.response(code ?? SystemCode.SUCCESS, remark);
    response.extFields = header === undefined ? into : encodeHeader(definition.response, header, into);
    if (body !== undefined) response.body = definition.responseBody.encode(body);
    return response;
  };
  const hasRequired = Object.values(definition.response).some(({ presence }) => presence === 'required');
  /** A success has what its definition requires, or says what is missing; an answer that says no may lack it. */
  const respondWhole = (result: TypedHandlerResult<Response, ResponseBody>): RemotingCommand => {
    const { code, header, body } = (result ?? {}) as UntypedResponse<Response, ResponseBody>;
    const response = respond(result);
    if (code !== undefined && code !== SystemCode.SUCCESS) return response;
    if (header === undefined && hasRequired) encodeHeader(definition.response, {} as HeaderInput<Response>);
    if (body === undefined) response.body = definition.responseBody.encode(body as ResponseBody);
    return response;
  };
  return {
    processRequest(ctx: RequestContext, command: RemotingCommand) {
      const header = decodeHeader(definition.request, command.extFields);
      const result = handler(new DecodedRequest(header, definition.requestBody.decode(command.body), command, ctx));
      return result instanceof Promise ? result.then(respondWhole) : respondWhole(result);
    },
  };
}

class DecodedRequest<Request extends HeaderSchema, RequestBody> implements TypedRequest<Request, RequestBody> {
  readonly header: HeaderOutput<Request>;
  readonly body: RequestBody;
  readonly command: RemotingCommand;
  readonly channel: Channel;
  readonly #context: RequestContext;

  constructor(header: HeaderOutput<Request>, body: RequestBody, command: RemotingCommand, context: RequestContext) {
    this.header = header;
    this.body = body;
    this.command = command;
    this.channel = context.channel;
    this.#context = context;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  /** Made when asked for, and bound, so that handlers may take it apart from the request. */
  get remainingMillis(): () => number {
    return () => this.#context.remainingMillis();
  }
}
