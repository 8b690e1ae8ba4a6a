import type { Channel } from '../channel/channel.js';
import {
  decodeHeader,
  encodeHeader,
  type HeaderInput,
  type HeaderOutput,
  type HeaderSchema,
} from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import { createExtFields, RemotingCommand } from '../command/remoting-command.js';
import type { RequestContext, RequestProcessor } from './request-processor.js';
import { SystemCode } from './system-code.js';

/** A request as a typed handler sees it. */
export interface TypedRequest<Request extends HeaderSchema, RequestBody> {
  readonly header: HeaderOutput<Request>;
  readonly body: RequestBody;
  /** The whole command, for fields that the definition does not name. */
  readonly command: RemotingCommand;
  readonly channel: Channel;
  /** Aborted when the caller's connection ends. */
  readonly signal: AbortSignal;
}

/** What a typed handler answers; nothing at all is success without header and body. */
export interface TypedResponse<Response extends HeaderSchema, ResponseBody> {
  readonly header?: HeaderInput<Response>;
  readonly body?: ResponseBody;
}

type MaybePromise<T> = T | Promise<T>;

export type TypedHandler<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody> = (
  request: TypedRequest<Request, RequestBody>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without return statement is the simplest one
) => MaybePromise<TypedResponse<Response, ResponseBody> | void>;

/** Makes a processor of a command's definition and a handler of typed requests. A header that does not decode is SYSTEM_ERROR. */
export function typedProcessor<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
  definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
  handler: TypedHandler<Request, Response, RequestBody, ResponseBody>,
): RequestProcessor {
  const respond = (typed: TypedResponse<Response, ResponseBody> | undefined): RemotingCommand =>
    RemotingCommand.response(SystemCode.SUCCESS, undefined, {
      extFields:
        typed?.header === undefined ? undefined : encodeHeader(definition.response, typed.header, createExtFields()),
      body: typed?.body === undefined ? undefined : definition.responseBody.encode(typed.body),
    });
  return {
    processRequest(ctx: RequestContext, command: RemotingCommand) {
      const result = handler({
        header: decodeHeader(definition.request, command.extFields),
        body: definition.requestBody.decode(command.body),
        command,
        channel: ctx.channel,
        signal: ctx.signal,
      });
      return result instanceof Promise
        ? result.then((typed) => respond(typed ?? undefined))
        : respond(result ?? undefined);
    },
  };
}
