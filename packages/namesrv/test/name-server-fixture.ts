import { bodyCrc32, encodeRegisterBrokerBody, type RegisterBrokerBody, RequestCode } from '@rmqns/protocol';
import { type ExtFields, type Logger, RemotingClient, RemotingCommand } from '@rmqns/remoting';
import type { ManualClock } from '@rmqns/remoting/testing';
import { createNameServer, type NameServer, type NameServerEnvironment } from '../src/name-server.js';
import type { NamesrvOptions } from '../src/namesrv-options.js';

/** A registration's body with these topics, four queues each. */
export const topics = (...names: string[]): RegisterBrokerBody => ({
  topicConfigSerializeWrapper: {
    dataVersion: { timestamp: 1_000, counter: 1, stateVersion: 0 },
    topicConfigTable: new Map(
      names.map((topicName) => [
        topicName,
        {
          topicName,
          readQueueNums: 4,
          writeQueueNums: 4,
          perm: 6,
          topicFilterType: 'SINGLE_TAG',
          topicSysFlag: 0,
          order: false,
        },
      ]),
    ),
    topicQueueMappingInfoMap: new Map(),
  },
  filterServerList: [],
});
/** What the tests' broker says of itself. */
export const broker = {
  brokerName: 'broker-a',
  brokerAddr: '10.0.0.1:10911',
  clusterName: 'C1',
  haServerAddr: '10.0.0.1:10912',
  brokerId: '0',
};

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string | undefined;
}

export function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message?: string) =>
    void lines.push({ level, fields, message });
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** Lets everything run that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The answer to 106 while nothing is registered. */
export const EMPTY = '{"brokerAddrTable":{},"clusterAddrTable":{}}';

/** Name servers and clients for the tests of one suite; call within its `describe`. All are closed after each test. */
export function nameServerFixture() {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(
    options: NamesrvOptions = {},
    clock?: ManualClock,
    environment: NameServerEnvironment = {},
  ): Promise<NameServer> {
    const server = createNameServer(
      { bindAddress: '127.0.0.1', listenPort: 0, ...options },
      clock === undefined ? environment : { ...environment, clock },
    );
    await server.start();
    cleanUps.push(() => server.close());
    return server;
  }

  function connect(version = 479): RemotingClient {
    const client = new RemotingClient({ version });
    cleanUps.push(() => client.destroy());
    return client;
  }

  const ask = (
    client: RemotingClient,
    server: NameServer,
    code: number,
    extFields: Record<string, string> = {},
    body?: Uint8Array,
  ): Promise<RemotingCommand> =>
    client.invokeSync(server.address, RemotingCommand.request(code, { extFields: extFields as ExtFields, body }));

  function register(
    client: RemotingClient,
    server: NameServer,
    fields: Record<string, string> = {},
    body = topics('T1', 'T2'),
  ): Promise<RemotingCommand> {
    const bytes = encodeRegisterBrokerBody(body, { compressed: false, fiveX: true });
    return ask(
      client,
      server,
      RequestCode.REGISTER_BROKER,
      { ...broker, compressed: 'false', bodyCrc32: String(bodyCrc32(bytes)), ...fields },
      bytes,
    );
  }

  const text = (response: RemotingCommand): string => Buffer.from(response.body ?? []).toString();
  const clusterInfo = async (client: RemotingClient, server: NameServer): Promise<string> =>
    text(await ask(client, server, RequestCode.GET_BROKER_CLUSTER_INFO));
  const route = (client: RemotingClient, server: NameServer, topic = 'T1'): Promise<RemotingCommand> =>
    ask(client, server, RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic });

  return { cleanUps, start, connect, ask, register, text, clusterInfo, route };
}
