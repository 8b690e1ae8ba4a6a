import { type RegistrationRound, sentTopicTable } from '@rmqns/namesrv-client';
import { permToString, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { AgentConfig } from './agent-config.js';
import { nameServerProblem } from './name-server-problem.js';
import { table } from './text-table.js';

/**
 * What `--once` prints: what each name server said, and what was registered.
 *
 * @param nameServersProblem why the name servers of the round may not be all
 */
export function onceReport(
  config: AgentConfig,
  wrapper: TopicConfigSerializeWrapper,
  round: RegistrationRound,
  nameServersProblem?: string | undefined,
): string {
  const { clusterName, brokerName, brokerId, brokerAddr, haServerAddr } = config.identity;
  const { counter, timestamp } = wrapper.dataVersion;
  const sent = sentTopicTable(wrapper, config.identity.brokerPermission, config.identity.enableActingMaster === true);
  const topics = [...(sent.topicConfigTable?.values() ?? [])];
  const ok = round.outcomes.filter(({ status }) => status === 'ok').length;
  return [
    ...table([
      ['name server', 'outcome', 'ms', ''],
      ...round.outcomes.map(({ address, status, durationMillis, error }) => [
        address,
        status,
        String(Math.round(durationMillis)),
        nameServerProblem(error) ?? '',
      ]),
    ]),
    ...(nameServersProblem === undefined ? [] : [`not all name servers are known: ${nameServersProblem}`]),
    '',
    `${brokerName} (id ${brokerId}, cluster ${clusterName}) at ${brokerAddr}, HA ${haServerAddr}`,
    `${topics.length} topics, data version ${counter} of ${showTime(timestamp)}`,
    ...(topics.length === 0 ? [] : ['']),
    ...table([
      ...(topics.length === 0 ? [] : [['topic', 'read', 'write', 'perm', 'order']]),
      ...topics.map(({ topicName, readQueueNums, writeQueueNums, perm, order }) => [
        String(topicName),
        String(readQueueNums),
        String(writeQueueNums),
        permToString(perm),
        String(order),
      ]),
    ]),
    '',
    `registered with ${ok} of ${round.outcomes.length} name servers; they forget it as this process ends`,
  ].join('\n');
}

/** A version may have any number for a time, and a Date cannot. */
function showTime(timestamp: Long): string {
  const date = new Date(Number(timestamp));
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString();
}
