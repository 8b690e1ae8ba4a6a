import { DecodeError } from '@rmqns/remoting/command';
import { type JsonValue, type Long, parseLong, quoteForPeople } from '@rmqns/remoting/json';
import { BeanReader } from '../body/bean-reader.js';
import type { BrokerData } from './broker-data.js';

/** A broker group as a bean; 4.x releases know neither zones nor acting masters. */
export function brokerDataToJson(broker: BrokerData, fiveX: boolean) {
  const { cluster, brokerName, zoneName, enableActingMaster } = broker;
  const brokerAddrs = sortedById(broker.brokerAddrs);
  return fiveX
    ? { brokerAddrs, brokerName, cluster, enableActingMaster, zoneName }
    : { brokerAddrs, brokerName, cluster };
}

/** Ids ascending, which is also the order in which upstream's hash map shows the ids that occur. */
export function sortedById(brokerAddrs: ReadonlyMap<Long, string>): ReadonlyMap<Long, string> {
  if (brokerAddrs.size < 2) return brokerAddrs;
  return new Map([...brokerAddrs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A broker group out of JSON; null for JSON that stands for null.
 *
 * @throws DecodeError when it has no name, or an id that is no number
 */
export function brokerDataFromJson(json: JsonValue): BrokerData | null {
  const bean = BeanReader.of(json, 'a broker');
  if (bean === null) return null;
  const brokerName = bean.text('brokerName');
  if (brokerName === null) throw new DecodeError('a broker has no brokerName');
  return {
    cluster: bean.text('cluster') ?? '',
    brokerName,
    brokerAddrs: brokerAddrsFromJson(bean),
    zoneName: bean.text('zoneName') ?? undefined,
    enableActingMaster: bean.boolean('enableActingMaster', false),
  };
}

/** The `brokerAddrs` of a bean: ids, quoted or not, to addresses. */
export function brokerAddrsFromJson(bean: BeanReader): Map<Long, string> {
  const brokerAddrs = new Map<Long, string>();
  for (const [text, address] of bean.textMap('brokerAddrs') ?? []) {
    const id = parseLong(text);
    if (id === undefined) throw new DecodeError(`a broker id is no number: ${quoteForPeople(text)}`);
    brokerAddrs.set(id, address);
  }
  return brokerAddrs;
}
