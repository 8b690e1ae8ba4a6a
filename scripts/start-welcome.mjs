/** Prints what was started, the route and the message that went through it, and what can be tried next. */
export function printWelcome({ namesrvAddress, brokerAddr, directory, topics, topic, route, message, msgId }) {
  const { queueId, queueOffset, body } = message;
  const lines = [
    '',
    `  Name server    ${namesrvAddress}`,
    `  Storage node   ${brokerAddr}, in memory, with ${topics.join(', ')}`,
    '  Agent          registered the node, and does so every 30 s',
    `  Their files    ${directory} (removed at the end)`,
    '',
    `  Route of ${topic}, as a client gets it (code 105):`,
    '',
    ...routeTable(route).map((line) => `    ${line}`),
    '',
    '  A message sent along it (code 310) and pulled from there (code 11):',
    '',
    `    "${Buffer.from(body).toString()}"  queue ${queueId}, offset ${queueOffset}, id ${msgId}`,
    '',
    '  Try next:',
    ...columns([
      [`mqadmin clusterList -n ${namesrvAddress}`, 'as an operator sees it'],
      [`mqadmin topicRoute -n ${namesrvAddress} -t ${topic}`, 'the same route by another client'],
      [`mqadmin sendMessage -n ${namesrvAddress} -t ${topic} -p hello`, 'a message by another client'],
      [`mqadmin consumeMessage -n ${namesrvAddress} -t ${topic}`, 'all messages'],
      [`producer.setNamesrvAddr("${namesrvAddress}");`, 'a Java client; others take the same address'],
      ['scripts/mqnamesrv --help', 'the name server itself; scripts/rmq-agent the agent'],
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
