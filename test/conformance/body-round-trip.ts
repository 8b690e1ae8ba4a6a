import {
  bodyCrc32,
  decodeBrokerMemberGroup,
  decodeClusterInfo,
  decodeDataVersion,
  decodeKvTable,
  decodeRegisterBrokerBody,
  decodeTopicList,
  decodeTopicRouteData,
  encodeBrokerMemberGroup,
  encodeClusterInfo,
  encodeDataVersion,
  encodeKvTable,
  encodeRegisterBrokerBody,
  encodeTopicList,
  encodeTopicRouteData,
  MqVersion,
  RequestCode,
} from '@rmqns/protocol';
import {
  canonicalJson,
  hasBareNames,
  type Json,
  parseLenientJson,
  type Vector,
  type VectorMessage,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { meaningOfBody, meaningOfCapture } from './registration-meaning.js';

/** Reads a captured body and writes it again; fails where that changes its meaning. */
type RoundTrip = (body: Buffer, message: VectorMessage, vector: Vector) => void;

const registration: RoundTrip = (body, message, { name }) => {
  const { version: requestVersion, extFields } = message.header;
  const compressed = message.body_inflated !== undefined;
  const read = (bytes: Uint8Array) => decodeRegisterBrokerBody(bytes, { compressed, requestVersion, nowMillis: 0 });
  if (name.includes('.raw-bad-body')) {
    expect(() => read(body)).to.throw();
    return;
  }
  const decoded = read(body);
  const meaning = meaningOfBody(decoded);
  expect(meaning).to.deep.equal(meaningOfCapture(message));

  const crc = extFields?.['bodyCrc32'];
  if (crc !== undefined && crc !== '0' && !name.includes('.raw-bad-crc')) expect(crc).to.equal(`${bodyCrc32(body)}`);

  // The bare table of brokers before 3.0.11 is read, but never written.
  if (requestVersion < MqVersion.V3_0_11) return;
  const written = encodeRegisterBrokerBody(decoded, { compressed, fiveX: isFiveX(message) });
  expect(meaningOfBody(read(written))).to.deep.equal(meaning);
};

const dataVersion: RoundTrip = (body) => {
  const version = decodeDataVersion(body, 0);
  if (version === undefined) throw new Error('no data version was read');
  expectSame(encodeDataVersion(version, { fiveX: body.includes('stateVersion') }), body);
};

const topicRoute: RoundTrip = (body, message, { version }) => {
  const route = decodeTopicRouteData(body);
  if (route === undefined) throw new Error('no route was read');
  const standardJson = !hasBareNames(body.toString('utf8'));
  const queueFlagName = version === '4.7.1' ? 'topicSynFlag' : 'topicSysFlag';
  expectSame(encodeTopicRouteData(route, { standardJson, queueFlagName, fiveX: isFiveX(message) }), body);
};

const clusterInfo: RoundTrip = (body, message) => {
  expectSame(encodeClusterInfo(decodeClusterInfo(body), { fiveX: isFiveX(message) }), body);
};

const brokerMemberGroup: RoundTrip = (body) => {
  expectSame(encodeBrokerMemberGroup(decodeBrokerMemberGroup(body)), body);
};

const kvTable: RoundTrip = (body) => {
  expectSame(encodeKvTable(decodeKvTable(body)), body);
};

const topicList: RoundTrip = (body) => {
  expectSame(encodeTopicList(decodeTopicList(body)), body);
};

const ofRequest: Readonly<Record<number, RoundTrip>> = {
  [RequestCode.REGISTER_BROKER]: registration,
  [RequestCode.QUERY_DATA_VERSION]: dataVersion,
};

const ofResponse: Readonly<Record<number, RoundTrip>> = {
  [RequestCode.REGISTER_BROKER]: kvTable,
  [RequestCode.GET_KVLIST_BY_NAMESPACE]: kvTable,
  [RequestCode.GET_ROUTEINFO_BY_TOPIC]: topicRoute,
  [RequestCode.GET_BROKER_CLUSTER_INFO]: clusterInfo,
  [RequestCode.GET_BROKER_MEMBER_GROUP]: brokerMemberGroup,
  [RequestCode.QUERY_DATA_VERSION]: dataVersion,
  [RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER]: topicList,
  [RequestCode.GET_TOPICS_BY_CLUSTER]: topicList,
  [RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS]: topicList,
  [RequestCode.GET_UNIT_TOPIC_LIST]: topicList,
  [RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST]: topicList,
  [RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST]: topicList,
};

/** The bodies of 217, 318 and 319 have no codec of their own yet: a topic table, and properties text. */
const withoutCodec = new Set<number>([
  RequestCode.REGISTER_TOPIC_IN_NAMESRV,
  RequestCode.UPDATE_NAMESRV_CONFIG,
  RequestCode.GET_NAMESRV_CONFIG,
]);

/** Reads the body of one side of an exchange with the codec of its code, and writes it again. */
export function checkBodyRoundTrip(side: 'request' | 'response', body: Buffer, vector: Vector): void {
  const message = vector[side];
  if (message === null || withoutCodec.has(vector.code)) return;
  const roundTrip = (side === 'request' ? ofRequest : ofResponse)[vector.code];
  if (roundTrip === undefined) throw new Error(`nothing here reads the body of a ${side} of code ${vector.code}`);
  roundTrip(body, message, vector);
}

function isFiveX({ header }: VectorMessage): boolean {
  return header.version >= MqVersion.V5_0_0;
}

/** The same JSON, but for the order of members and items, and bare broker ids in both or in neither. */
function expectSame(written: Buffer, captured: Buffer): void {
  const [ours, theirs] = [written.toString('utf8'), captured.toString('utf8')];
  expect(canonicalJson(parseLenientJson(ours))).to.deep.equal(
    canonicalJson(withoutNullCluster(parseLenientJson(theirs))),
  );
  expect(hasBareNames(ours)).to.equal(hasBareNames(theirs));
}

/**
 * 4.x kept what a registration without cluster name left: a broker without cluster, and null in the list of clusters. Ours keeps no such
 * broker, and reads it as one of the cluster without name.
 */
function withoutNullCluster(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).filter((item) => item !== null).map(withoutNullCluster);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutNullCluster(member)] as const);
  return { ...('brokerAddrs' in value ? { cluster: '' } : {}), ...Object.fromEntries(members) };
}
