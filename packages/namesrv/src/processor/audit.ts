import { decodePropertiesBytes, parseProperties, RequestCode, requestCodeName } from '@rmqns/protocol';
import type { Channel, RemotingCommand } from '@rmqns/remoting';

/** A request by which a person or tool changed something, or tried to. */
export interface AuditRecord {
  /** Who asked: the address of the connection, or what a trusted proxy says it is. */
  readonly peer: string;
  /** The name of the request code: `WIPE_WRITE_PERM_OF_BROKER`. */
  readonly code: string;
  /** What it is about, by the names of the request's fields; of options the keys. No values. */
  readonly target: Readonly<Record<string, string>>;
  /** The response code; 0 is success. */
  readonly result: number;
  /** Why it was refused. */
  readonly remark?: string | undefined;
}

/** What brokers ask by themselves is none of it. */
const AUDITED: ReadonlySet<number> = new Set([
  RequestCode.PUT_KV_CONFIG,
  RequestCode.DELETE_KV_CONFIG,
  RequestCode.WIPE_WRITE_PERM_OF_BROKER,
  RequestCode.ADD_WRITE_PERM_OF_BROKER,
  RequestCode.DELETE_TOPIC_IN_NAMESRV,
  RequestCode.REGISTER_TOPIC_IN_NAMESRV,
  RequestCode.UPDATE_NAMESRV_CONFIG,
]);

const FIELDS = ['namespace', 'key', 'brokerName', 'topic', 'clusterName'] as const;
const MAX_TARGET_LENGTH = 256;
/** Enough for the keys of any honest update. */
const MAX_BODY_READ = 4_096;

export function isAudited(code: number): boolean {
  return AUDITED.has(code);
}

export function auditRecord(
  channel: Channel,
  request: RemotingCommand,
  { code, remark }: { readonly code: number; readonly remark?: string | undefined },
): AuditRecord {
  const target: Record<string, string> = {};
  for (const field of FIELDS) {
    const text = request.extFields?.[field];
    if (text !== undefined) target[field] = text.slice(0, MAX_TARGET_LENGTH);
  }
  if (request.code === RequestCode.UPDATE_NAMESRV_CONFIG && request.body !== undefined) {
    const { entries } = parseProperties(decodePropertiesBytes(request.body.subarray(0, MAX_BODY_READ)));
    target['keys'] = [...new Set(entries.map(({ key }) => key))].join(' ').slice(0, MAX_TARGET_LENGTH);
  }
  const name = requestCodeName(request.code) ?? String(request.code);
  return { peer: channel.remoteAddress, code: name, target, result: code, remark };
}
