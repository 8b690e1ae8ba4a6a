import { BrokerRegistrar } from '@rmqns/namesrv-client';
import { identityOf, startNameServer, topicSource, topicTable } from './name-servers.mjs';

/**
 * Many agents in this process, each with connections of its own: what a name server pays while nothing changes, and how they come back to
 * one that was killed and started again.
 *
 * @param {{ servers: object[], agents: number, topics: number, steadyMillis: number, jitter: number }} options
 */
export async function measureFleet({ servers, agents, topics, steadyMillis, jitter }) {
  const table = topicTable(topics);
  const registrars = Array.from(
    { length: agents },
    (_, index) =>
      new BrokerRegistrar({
        identity: identityOf(index + 1),
        nameServerAddressList: servers.map(({ address }) => address),
        topics: topicSource(table),
        reconnectJitter: jitter,
      }),
  );
  try {
    await Promise.all(registrars.map((registrar) => registrar.start()));
    await Promise.all(servers.map(({ ask }) => ask('cameMillis', { count: agents })));
    // The rounds begin 10 s after the start, then one every 30 s: a window of 30 s after the first has exactly one of each agent.
    await sleep(15_000);
    const before = await Promise.all(servers.map(({ ask }) => ask('cpuMicros')));
    await sleep(steadyMillis);
    const after = await Promise.all(servers.map(({ ask }) => ask('cpuMicros')));
    const steadyCores = after.map((micros, index) => (micros - before[index]) / 1_000 / steadyMillis);

    const [lost] = servers;
    const port = Number(lost.address.split(':')[1]);
    await lost.end();
    const back = await startNameServer(port);
    servers[0] = back;
    const cameMillis = (await back.ask('cameMillis', { count: agents })).sort((a, b) => a - b);
    return { steadyCores, cameMillis };
  } finally {
    await Promise.all(registrars.map((registrar) => registrar.shutdown()));
  }
}

function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
