// Asks the brokers of a real cluster how they are: a name server for the cluster, then each master for its runtime info.
//
//   node dist/real-broker.js 127.0.0.1:9876
import { decodeKvTable, GetBrokerClusterInfo, RequestCode } from '@rmqns/protocol';
import { defineCommand, RemotingClient, RemotingError } from '@rmqns/remoting';

/** Of the broker's several dozen values these are the ones to look at first. */
const INTERESTING = ['brokerVersionDesc', 'bootTimestamp', 'putTps', 'msgPutTotalTodayNow'];

const GetBrokerRuntimeInfo = defineCommand({
  code: RequestCode.GET_BROKER_RUNTIME_INFO,
  name: 'GET_BROKER_RUNTIME_INFO',
});

const nameServer = process.argv[2] ?? '127.0.0.1:9876';
const client = new RemotingClient({ timeoutMillis: 3_000 });
try {
  const { body: cluster } = await client.call(nameServer, GetBrokerClusterInfo, {});
  for (const { brokerName, brokerAddrs } of cluster.brokerAddrTable.values()) {
    for (const [brokerId, address] of brokerAddrs) {
      const { body } = await client.call(address, GetBrokerRuntimeInfo, {});
      const info = decodeKvTable(body ?? Buffer.from('{}'));
      const values = INTERESTING.filter((name) => info.has(name)).map((name) => `${name}=${info.get(name)}`);
      console.log(`${brokerName}:${brokerId} ${address} ${values.join(' ')}`);
    }
  }
} catch (error) {
  // Says who did not answer, and why.
  if (!RemotingError.is(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.close();
}
