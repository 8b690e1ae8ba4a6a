import {
  DeleteKvConfig,
  encodeKvTable,
  GetKvConfig,
  GetKvListByNamespace,
  PutKvConfig,
  ResponseCode,
} from '@rmqns/protocol';
import { createExtFields, decodeHeader, encodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { NamesrvContext } from './namesrv-context.js';
import { refuseHalfPairs } from './refuse-text.js';
import type { RequestHandler } from './request-handler.js';

/** 100: sets a KV entry (reference: nameserver 2.1). Answered once it is on disk. */
export const putKvConfig: RequestHandler = (context, request) => {
  const { namespace, key, value } = decodeHeader(PutKvConfig.request, request.extFields);
  if (namespace === undefined || key === undefined) {
    return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'namespace or key is null');
  }
  refuseHalfPairs({ namespace, key, value });
  context.kvConfigManager.putKvConfig(namespace, key, value ?? null);
  return persisted(context);
};

/** 101: reads a KV entry (reference: nameserver 2.2). */
export const getKvConfig: RequestHandler = (context, request) => {
  const { namespace, key } = decodeHeader(GetKvConfig.request, request.extFields);
  const value =
    namespace === undefined || key === undefined ? undefined : context.kvConfigManager.getKvConfig(namespace, key);
  if (value !== undefined) {
    return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
      extFields: encodeHeader(GetKvConfig.response, { value }),
    });
  }
  return RemotingCommand.response(
    ResponseCode.QUERY_NOT_FOUND,
    `No config item, Namespace: ${namespace ?? null} Key: ${key ?? null}`,
    { extFields: createExtFields() },
  );
};

/** 102: removes a KV entry; an entry that is not there is removed too (reference: nameserver 2.3). */
export const deleteKvConfig: RequestHandler = (context, request) => {
  const { namespace, key } = decodeHeader(DeleteKvConfig.request, request.extFields);
  if (namespace !== undefined && key !== undefined) context.kvConfigManager.deleteKvConfig(namespace, key);
  return persisted(context);
};

/** 219: reads all entries of a namespace (reference: nameserver 2.4). */
export const getKvListByNamespace: RequestHandler = (context, request) => {
  const { namespace } = decodeHeader(GetKvListByNamespace.request, request.extFields);
  const body = namespace === undefined ? undefined : kvTableBody(context, namespace);
  if (body !== undefined) return RemotingCommand.response(ResponseCode.SUCCESS, undefined, { body });
  return RemotingCommand.response(ResponseCode.QUERY_NOT_FOUND, `No config item, Namespace: ${namespace ?? null}`);
};

/** A namespace as a body; `undefined` for one that is not there. */
export function kvTableBody(
  { kvConfigManager, kvTableAnswers }: NamesrvContext,
  namespace: string,
): Buffer | undefined {
  const table = kvConfigManager.getKvListByNamespace(namespace);
  return table && kvTableAnswers.get(kvConfigManager.revision, namespace, () => encodeKvTable(table));
}

/** Upstream answers success whatever becomes of the file; here nothing is changed that would not survive a restart. */
async function persisted(context: NamesrvContext): Promise<RemotingCommand> {
  try {
    await context.persistKvConfig();
    return RemotingCommand.response(ResponseCode.SUCCESS);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.logger.error({ err: error }, `the KV config could not be written: ${reason}`);
    return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, reason);
  }
}
