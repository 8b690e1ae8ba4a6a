import { parseArgs } from 'node:util';
import { createStorageNode } from './storage-node.js';
import { writeTopicsFile } from './topics-file.js';

const USAGE = `usage: node examples/storage-node/dist/src/main.js --topics NAME[,NAME...] [options]

  --port N             default 10911; 0 takes any free one
  --host ADDRESS       to listen on, IPv4; default 127.0.0.1
  --broker-ip ADDRESS  what clients dial, IPv4; default the host
  --queues N           of each topic; default 4
  --store DIR          write DIR/config/topics.json, for an agent to register
  --vip-channel        listen on the port less 2 as well
`;

/** Runs a storage node until SIGTERM or SIGINT. Somebody else has to register it with name servers. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      topics: { type: 'string', default: '' },
      port: { type: 'string', default: '10911' },
      host: { type: 'string' },
      'broker-ip': { type: 'string' },
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
    topics: values.topics.split(',').filter((name) => name !== ''),
    queueNums: Number(values.queues),
    vipChannel: values['vip-channel'],
  });
  await node.start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void node.close());
  try {
    // Only once clients can dial it, since an agent registers what stands there at once.
    if (values.store !== undefined) await writeTopicsFile(values.store, node.topicConfigTable, Date.now());
  } catch (error) {
    await node.close();
    throw error;
  }
  process.stdout.write(`the storage node listens on ${node.brokerAddr}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
