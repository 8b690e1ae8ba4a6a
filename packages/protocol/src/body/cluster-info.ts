import { encodeUtf8, parseFastJson, writeFastJson } from '@rmqns/remoting/json';
import type { BrokerData } from '../route/broker-data.js';
import { brokerDataFromJson, brokerDataToJson } from '../route/broker-data-json.js';
import { BeanReader, notNull } from './bean-reader.js';
import { decodeUtf8 } from './decode-utf8.js';
import { requiredBody } from './required-body.js';

/** All brokers and clusters: the body of an answer to 106 (upstream: `ClusterInfo`; reference: nameserver 2.8). */
export interface ClusterInfo {
  /** Broker name to group. */
  readonly brokerAddrTable: ReadonlyMap<string, BrokerData>;
  /** Cluster name to its broker names. */
  readonly clusterAddrTable: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Always the legacy flavour, also for callers that read standard JSON: so does every release. */
export function encodeClusterInfo(info: ClusterInfo, { fiveX }: { readonly fiveX: boolean }): Buffer {
  const bean = {
    brokerAddrTable: new Map(
      [...info.brokerAddrTable].map(([name, broker]) => [name, brokerDataToJson(broker, fiveX)]),
    ),
    clusterAddrTable: new Map([...info.clusterAddrTable].map(([name, brokerNames]) => [name, [...brokerNames]])),
  };
  return encodeUtf8(writeFastJson(bean, 'legacy'));
}

/**
 * Reads cluster information of any release. Entries that are null are left out.
 *
 * @throws DecodeError when the body is no cluster information
 */
export function decodeClusterInfo(body: Uint8Array): ClusterInfo {
  const bean = notNull(
    BeanReader.of(parseFastJson(decodeUtf8(body)), 'the cluster information'),
    'the cluster information',
  );
  const brokerAddrTable = new Map<string, BrokerData>();
  for (const [name, json] of bean.entries('brokerAddrTable') ?? []) {
    const broker = brokerDataFromJson(json);
    if (broker !== null) brokerAddrTable.set(name, broker);
  }
  const clusterAddrTable = new Map<string, ReadonlySet<string>>();
  for (const [name, brokerNames] of bean.textLists('clusterAddrTable') ?? []) {
    clusterAddrTable.set(name, new Set(brokerNames));
  }
  return { brokerAddrTable, clusterAddrTable };
}

/** Written as 5.x does, which readers of any release understand. */
export const clusterInfoBody = requiredBody<ClusterInfo>(
  'the cluster information',
  (info) => encodeClusterInfo(info, { fiveX: true }),
  decodeClusterInfo,
);
