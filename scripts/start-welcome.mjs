import { SampleBroker } from './start-sample-broker.mjs';

/** Prints the route that was looked up, and what can be tried next. */
export function printWelcome({ address, directory, broker, topic, route }) {
  const { brokerName, clusterName, brokerAddr } = SampleBroker.header;
  const lines = [
    '',
    `  Name server    ${address}`,
    `  Its files      ${directory} (removed at the end)`,
    `  Sample broker  ${brokerName} of ${clusterName} at ${brokerAddr}, with ${broker.topics.join(', ')}`,
    '                 (only an entry in the tables: nothing listens there, so messages cannot be sent)',
    '',
    `  Route of ${topic}, as a client gets it (code 105):`,
    '',
    ...routeTable(route).map((line) => `    ${line}`),
    '',
    '  Try next:',
    ...columns([
      [`mqadmin clusterList -n ${address}`, 'as an operator sees it'],
      [`mqadmin topicRoute -n ${address} -t ${topic}`, 'the same route by another client'],
      [`mqbroker -n ${address}`, 'a real broker; then messages flow'],
      [`producer.setNamesrvAddr("${address}");`, 'a Java client; others take the same address'],
      ['scripts/mqnamesrv --help', 'the server itself, with its options'],
    ]).map((line) => `    ${line}`),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** One line for each broker of the route. */
function routeTable(route) {
  const rows = [['BROKER', 'ADDRESSES', 'READ QUEUES', 'WRITE QUEUES', 'PERM']];
  for (const queue of route.queueDatas) {
    const group = route.brokerDatas.find((each) => each.brokerName === queue.brokerName);
    const addresses = [...(group?.brokerAddrs ?? [])].map(([id, addr]) => `${id}=${addr}`).join(' ');
    const perm = (queue.perm & 4 ? 'r' : '-') + (queue.perm & 2 ? 'w' : '-');
    rows.push([queue.brokerName, addresses, String(queue.readQueueNums), String(queue.writeQueueNums), perm]);
  }
  return columns(rows);
}

/** Cells filled up to the width of their column. */
function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
