import { BrokerRegistrar, NameServerClient } from '@rmqns/namesrv-client';
import { identityOf, topicSource, topicTable } from './name-servers.mjs';

/**
 * Rounds of one agent with all name servers: their time until the last answer, the bytes that went out, and CPU of both sides.
 *
 * @param {{ servers: object[], topics: number, rounds: number, compressed: boolean, changing: boolean }} options
 */
export async function measureRounds({ servers, topics, rounds, compressed, changing }) {
  const source = topicSource(topicTable(topics));
  const client = new NameServerClient();
  const registrar = new BrokerRegistrar({
    identity: identityOf(1),
    nameServerAddressList: servers.map(({ address }) => address),
    topics: source,
    compressedRegister: compressed,
    client,
  });
  const serverCpu = async () => (await Promise.all(servers.map(({ ask }) => ask('cpuMicros')))).reduce((a, b) => a + b);
  const once = async () => {
    if (changing) source.change();
    const bytes = client.remotingClient.counters.bytesOut;
    const theirs = await serverCpu();
    const ours = process.cpuUsage();
    const { outcomes, durationMillis } = await registrar.registerBrokerAll(true, false, true);
    const { user, system } = process.cpuUsage(ours);
    const failed = outcomes.find(({ status }) => status !== 'ok');
    if (failed !== undefined) throw new Error(`a registration failed: ${failed.error?.message}`);
    return {
      millis: durationMillis,
      agentCpuMillis: (user + system) / 1_000,
      serverCpuMillis: ((await serverCpu()) - theirs) / 1_000 / servers.length,
      bytes: client.remotingClient.counters.bytesOut - bytes,
    };
  };
  for (let warm = 0; warm < 3; warm++) await once();
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await once());
  await registrar.shutdown();
  await client.close();
  return samples;
}
