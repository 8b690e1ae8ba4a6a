import { encodeUtf8, type Long, parseFastJson, writeFastJson } from '@rmqns/remoting/json';
import { brokerAddrsFromJson, sortedById } from '../route/broker-data-json.js';
import { BeanReader, notNull } from './bean-reader.js';
import { decodeUtf8 } from './decode-utf8.js';
import { requiredBody } from './required-body.js';

/** The members of a broker group: the body of an answer to 901 (upstream: `BrokerMemberGroup`; reference: nameserver 2.14). */
export interface BrokerMemberGroup {
  /** As asked for, not as stored. */
  readonly cluster?: string | undefined;
  /** As asked for. */
  readonly brokerName?: string | undefined;
  readonly brokerAddrs: ReadonlyMap<Long, string>;
}

/** `{"brokerMemberGroup":{...}}`, always in the legacy flavour. */
export function encodeBrokerMemberGroup({ cluster, brokerName, brokerAddrs }: BrokerMemberGroup): Buffer {
  const bean = { brokerMemberGroup: { brokerAddrs: sortedById(brokerAddrs), brokerName, cluster } };
  return encodeUtf8(writeFastJson(bean, 'legacy'));
}

/**
 * Reads the members of a broker group.
 *
 * @throws DecodeError when the body is none
 */
export function decodeBrokerMemberGroup(body: Uint8Array): BrokerMemberGroup {
  const bean = notNull(
    BeanReader.of(parseFastJson(decodeUtf8(body)), 'the body')?.bean('brokerMemberGroup'),
    'brokerMemberGroup',
  );
  return {
    cluster: bean.text('cluster') ?? undefined,
    brokerName: bean.text('brokerName') ?? undefined,
    brokerAddrs: brokerAddrsFromJson(bean),
  };
}

export const brokerMemberGroupBody = requiredBody<BrokerMemberGroup>(
  'the broker member group',
  encodeBrokerMemberGroup,
  decodeBrokerMemberGroup,
);
