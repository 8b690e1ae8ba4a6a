import { parseArgs } from 'node:util';
import { createStorageNode } from './storage-node.js';
import { keepTopicsFile } from './topics-file.js';

const USAGE = `usage: node examples/storage-node/dist/src/main.js --topics NAME[,NAME...] [options]

  --port N             default 10911; 0 takes any free one
  --host ADDRESS       to listen on; default 127.0.0.1
  --broker-ip ADDRESS  what clients dial; default the host
  --broker-name NAME   default storage-node
  --queues N           of each topic; default 4
  --store DIR          keep DIR/config/topics.json, for an agent to register
  --vip-channel        listen on the port less 2 as well
`;

/** Runs a storage node until SIGTERM or SIGINT. Somebody else has to register it with name servers. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      topics: { type: 'string' },
      port: { type: 'string', default: '10911' },
      host: { type: 'string' },
      'broker-ip': { type: 'string' },
      'broker-name': { type: 'string' },
      queues: { type: 'string', default: '4' },
      store: { type: 'string' },
      'vip-channel': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const node = createStorageNode({
    host: values.host,
    brokerIp: values['broker-ip'],
    port: Number(values.port),
    brokerName: values['broker-name'],
    topics: values.topics?.split(',').filter((name) => name !== '') ?? [],
    queueNums: Number(values.queues),
    vipChannel: values['vip-channel'],
  });
  if (values.store !== undefined) await keepTopicsFile(values.store, node.topicConfigTable, Date.now());
  await node.start();
  process.stdout.write(`the storage node listens on ${node.brokerAddr}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void node.close());
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
