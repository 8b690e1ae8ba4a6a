import { showAge } from './show-age.js';
import type { StatusDocument } from './status-document.js';
import { table } from './text-table.js';

/** What `status` prints for people. */
export function statusTable(document: StatusDocument): string {
  const { identity, topics, nameServers, probes } = document;
  const { brokerName, brokerId, clusterName, brokerAddr } = identity;
  const version = topics.dataVersion?.counter;
  return [
    `${brokerName} (id ${brokerId}, cluster ${clusterName}) at ${brokerAddr}`,
    `${document.ready ? 'ready' : 'not ready'}, ${document.state}, the node is ${document.health}`,
    ...document.missing.map((phrase) => `waiting for ${phrase}`),
    topics.count === null || topics.count === undefined
      ? 'no topics yet'
      : `${topics.count} topics, data version ${version}`,
    ...(topics.problem ? [`not published: ${topics.problem}`] : []),
    ...(topics.stateProblem ? [`the state directory: ${topics.stateProblem}`] : []),
    '',
    ...table([
      ['name server', 'registered', 'last success', ''],
      ...nameServers.servers.map(({ address, registered, conflict, flapping, lastSuccessAgeMillis, problem }) => [
        address,
        registered ? 'yes' : 'no',
        typeof lastSuccessAgeMillis === 'number' ? `${showAge(lastSuccessAgeMillis)} ago` : 'never',
        conflict ? `conflict with ${conflict}` : flapping ? 'says yes and hangs up' : (problem ?? ''),
      ]),
    ]),
    ...(nameServers.problem ? [`${nameServers.source}: ${nameServers.problem}`] : []),
    '',
    ...table([
      ['source of topics', 'topics', 'last good look', ''],
      ...topics.sources.map(({ name, topics: count, ageMillis, problem }) => [
        name,
        String(count ?? '-'),
        typeof ageMillis === 'number' ? `${showAge(ageMillis)} ago` : '-',
        firstLine(problem),
      ]),
    ]),
    ...(probes.length === 0 ? [] : ['']),
    ...table([
      ...(probes.length === 0 ? [] : [['probe', 'health', '']]),
      ...probes.map(({ name, health, output }) => [name, health, firstLine(output)]),
    ]),
  ].join('\n');
}

/** What programs say may have many. */
function firstLine(text: string | null | undefined): string {
  return (text ?? '').split('\n', 1)[0] ?? '';
}
