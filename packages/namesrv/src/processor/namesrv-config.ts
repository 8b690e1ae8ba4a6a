import { decodePropertiesBytes, parseProperties, ResponseCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import type { RequestHandler } from './request-handler.js';

/** More than all keys need; reading 16 MiB takes seconds in which nobody else is served. */
const MAX_UPDATE_BYTES = 65_536;

/** 318: changes options while the server runs (reference: nameserver 2.12). Answered once they are in the file; SYSTEM_ERROR
 * when they could not be brought there. */
export const updateNamesrvConfig: RequestHandler = (context, request) => {
  if (request.body === undefined) return RemotingCommand.response(ResponseCode.SUCCESS);
  if (request.body.length > MAX_UPDATE_BYTES) {
    return RemotingCommand.response(
      ResponseCode.SYSTEM_ERROR,
      `the update has ${request.body.length} bytes; more than ${MAX_UPDATE_BYTES} are not taken`,
    );
  }
  const { entries, problems } = parseProperties(decodePropertiesBytes(request.body));
  if (problems.length > 0) return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'string2Properties error');
  const result = context.configuration.update(new Map(entries.map(({ key, value }) => [key, value])));
  if (!result.ok) return RemotingCommand.response(result.code, result.remark);
  // What could not be written is in effect; whoever asked learns that it will not last.
  return context.persistConfig(result.values).then(() => RemotingCommand.response(ResponseCode.SUCCESS));
};

/** 319: shows the options (reference: nameserver 5.6). */
export const getNamesrvConfig: RequestHandler = ({ configuration }) =>
  RemotingCommand.response(ResponseCode.SUCCESS, undefined, { body: Buffer.from(configuration.dump()) });
