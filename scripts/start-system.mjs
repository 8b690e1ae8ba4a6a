import { writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { createNameServer } from '@rmqns/namesrv';
import { systemClock } from '@rmqns/remoting';
import { Agent } from '../apps/broker-agent/dist/src/agent.js';
import { ConfigFile } from '../apps/broker-agent/dist/src/config-file.js';
import { loadAgentConfig } from '../apps/broker-agent/dist/src/load-agent-config.js';
import { createStorageNode } from '../examples/storage-node/dist/src/storage-node.js';
import { writeTopicsFile } from '../examples/storage-node/dist/src/topics-file.js';

const HOST = '127.0.0.1';
const BROKER_NAME = 'storage-node';
/** How many ports are tried before giving up. */
const PORTS = 100;
const REGISTER_MILLIS = 10_000;

export const topics = ['OrderCreated', 'PaymentReceived', 'SampleTopic'];

/**
 * Starts a name server, a storage node and an agent that registers the node, all on this machine and in this process: so they end with it,
 * however it ends.
 *
 * @param {string} directory for their files
 * @param {AbortSignal} signal ends the wait for the agent
 * @param {(what: string, close: () => unknown) => void} onStarted told how to close each, in the order of their start
 */
export async function startSystem(directory, signal, onStarted) {
  const nameServer = await startOnFreePort(9876, (listenPort) =>
    createNameServer({ bindAddress: HOST, listenPort, kvConfigPath: join(directory, 'kvConfig.json') }),
  );
  onStarted('the name server', () => nameServer.close());

  const node = await startOnFreePort(10911, (port) => createStorageNode({ host: HOST, port, topics }));
  onStarted('the storage node', () => node.close());
  const store = join(directory, 'store');
  await writeTopicsFile(store, node.topicConfigTable, Date.now());

  const registered = nextRegistration(nameServer, signal);
  const agent = await createAgent(directory, nameServer.address, node.brokerAddr, store);
  onStarted('the agent', () => agent.stop());
  await agent.start();
  await registered;
  return { nameServer, node };
}

/** The agent with a configuration file as anybody would write it. */
async function createAgent(directory, namesrvAddress, brokerAddr, store) {
  const configFile = join(directory, 'agent.yaml');
  const [address, port] = brokerAddr.split(':');
  const lines = [
    `namesrv: { addresses: ["${namesrvAddress}"] }`,
    `identity: { brokerName: ${BROKER_NAME}, address: ${address}, port: ${port} }`,
    `topics: { sources: [{ file: ${JSON.stringify(join(store, 'config', 'topics.json'))} }] }`,
    `state: { dir: ${JSON.stringify(join(directory, 'agent'))} }`,
  ];
  writeFileSync(configFile, `${lines.join('\n')}\n`);
  const { config } = await loadAgentConfig(
    {
      configFile: new ConfigFile(configFile, { clock: systemClock, onWait() {} }),
      namesrvAddr: undefined,
      settings: [],
    },
    { variables: {}, hostName: hostname(), homeDirectory: homedir(), networkInterfaces: {} },
  );
  return new Agent({ config, clock: systemClock, logger: problemsOnly });
}

const say = (fields, message) => process.stderr.write(`npm start: ${message} ${JSON.stringify(fields)}\n`);
const problemsOnly = { debug() {}, info() {}, warn: say, error: say };

function nextRegistration(nameServer, signal) {
  const registered = new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the agent did not register the storage node within ${REGISTER_MILLIS / 1000} s`));
    }, REGISTER_MILLIS);
    timer.unref();
    signal.addEventListener('abort', () => reject(signal.reason));
    nameServer.on('change', ({ type }) => {
      if (type !== 'broker.registered') return;
      clearTimeout(timer);
      resolve();
    });
  });
  // It is waited for only once the agent runs.
  registered.catch(() => {});
  return registered;
}

/** The first free port from `first` on. */
async function startOnFreePort(first, create) {
  for (let port = first; ; port++) {
    const server = create(port);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      if (error.cause?.code !== 'EADDRINUSE' || port === first + PORTS) throw error;
      process.stdout.write(`Port ${port} is taken by another program; trying ${port + 1}.\n`);
    }
  }
}
