import { createServer } from 'node:net';
import { bodyCrc32, MqVersion, RequestCode } from '@rmqns/protocol';
import { type CommandError, RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import type { FanOutResult, NameServerOutcome } from '../src/fan-out.js';
import { NameServerClient, type RegisterBrokerResult } from '../src/name-server-client.js';
import { registerBrokerAll } from '../src/register-broker-all.js';
import type { BrokerRegistration } from '../src/register-broker-request.js';
import { unregisterBrokerAll } from '../src/unregister-broker-all.js';
import { identity, topicTable } from './broker-fixture.js';
import { registeredBody, ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, UNREGISTER_BROKER } = RequestCode;
const registration: BrokerRegistration = { identity, topicConfigSerializeWrapper: topicTable(3, 'T1', 'T2') };
const statuses = (outcomes: readonly NameServerOutcome<unknown>[]): string[] => outcomes.map(({ status }) => status);

describe('registerBrokerAll', () => {
  const clock = new ManualClock();
  const cleanUps: (() => Promise<unknown>)[] = [];
  let client: NameServerClient;
  beforeEach(() => {
    client = new NameServerClient({ clock });
    cleanUps.push(() => client.remotingClient.destroy());
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
    expect(clock.pendingTimers).to.equal(0);
  });

  async function start(count: number): Promise<ScriptedNameServer[]> {
    const servers = await Promise.all(Array.from({ length: count }, () => ScriptedNameServer.start()));
    cleanUps.push(() => Promise.all(servers.map((server) => server.destroy())));
    return servers;
  }

  /** An address where nobody listens. */
  async function deadAddress(): Promise<string> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    await new Promise((resolve) => server.close(resolve));
    return `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  }

  const addressesOf = (servers: ScriptedNameServer[]): string[] => servers.map(({ address }) => address);

  it('registers with all, with one body and checksum, and a request and an opaque for each (R3, R6)', async () => {
    const servers = await start(3);
    const { outcomes, completed } = await registerBrokerAll(client, addressesOf(servers), registration);
    expect(statuses(outcomes)).to.deep.equal(['ok', 'ok', 'ok']);
    expect(outcomes.map(({ address }) => address)).to.deep.equal(addressesOf(servers));
    expect(completed).to.have.members(outcomes);
    const requests = servers.map((server) => server.requests[0] as RemotingCommand);
    expect(new Set(requests.map(({ opaque }) => opaque)).size).to.equal(3);
    for (const request of requests) {
      expect({ ...request.extFields }).to.deep.equal({
        ...identity,
        brokerId: '0',
        compressed: 'false',
        bodyCrc32: String(bodyCrc32(request.body)),
      });
      expect(request).to.deep.include({ version: MqVersion.V4_9_7, language: 'JAVA', flag: 0 });
      expect(Buffer.from(request.body ?? []).toString()).to.equal(
        '{"filterServerList":[],"topicConfigSerializeWrapper":{"dataVersion":{"counter":3,"timestamp":1600000000000},' +
          '"topicConfigTable":{"T1":{"order":false,"perm":6,"readQueueNums":4,"topicFilterType":"SINGLE_TAG",' +
          '"topicName":"T1","topicSysFlag":0,"writeQueueNums":4},"T2":{"order":false,"perm":6,"readQueueNums":4,' +
          '"topicFilterType":"SINGLE_TAG","topicName":"T2","topicSysFlag":0,"writeQueueNums":4}}}}',
      );
    }
  });

  it('registers with the fifth at once while the first four are frozen (R13)', async () => {
    const servers = await start(5);
    for (const server of servers.slice(0, 4)) server.freeze();
    let round = Promise.resolve<FanOutResult<RegisterBrokerResult>>({ outcomes: [], completed: [] });
    const fifth = new Promise<NameServerOutcome<unknown>>((resolve) => {
      const options = { onOutcome: (outcome: NameServerOutcome<unknown>) => resolve(outcome) };
      round = registerBrokerAll(client, addressesOf(servers), registration, options);
    });
    expect(await fifth).to.deep.include({ address: servers[4]?.address, status: 'ok', durationMillis: 0 });
    await Promise.all(servers.map((server) => server.nth(REGISTER_BROKER, 1)));
    clock.advance(6_000);
    const { outcomes, completed } = await round;
    expect(statuses(outcomes)).to.deep.equal(['timeout', 'timeout', 'timeout', 'timeout', 'ok']);
    expect(outcomes[0]?.error?.code).to.equal('TIMEOUT');
    expect(completed[0]?.address).to.equal(servers[4]?.address);
  });

  it('tells what each answered: results, refusals and dead ones', async () => {
    const servers = await start(2);
    (servers[0] as ScriptedNameServer).answer = () =>
      RemotingCommand.response(0, undefined, {
        extFields: { masterAddr: '10.0.0.9:10911', haServerAddr: '10.0.0.9:10912' },
        body: Buffer.from('{"table":{"T1":"broker-a:4"}}'),
      });
    (servers[1] as ScriptedNameServer).answer = () => RemotingCommand.response(1, 'crc32 not match');
    const dead = await deadAddress();
    const { outcomes } = await registerBrokerAll(client, [...addressesOf(servers), dead], registration);
    expect(outcomes[0]?.result).to.deep.equal({
      masterAddr: '10.0.0.9:10911',
      haServerAddr: '10.0.0.9:10912',
      kvTable: new Map([['T1', 'broker-a:4']]),
    });
    expect(outcomes[1]?.error).to.include({ code: 'COMMAND_FAILED', responseCode: 1, remark: 'crc32 not match' });
    expect((outcomes[1]?.error as CommandError | undefined)?.response).to.include({
      code: 1,
      remark: 'crc32 not match',
    });
    expect(outcomes[2]).to.deep.include({ address: dead, status: 'failed' });
    expect(outcomes[2]?.error?.code).to.equal('CONNECT_FAILED');
  });

  it('sends oneway without waiting for answers', async () => {
    const servers = await start(2);
    for (const server of servers) server.freeze();
    const { outcomes } = await registerBrokerAll(client, addressesOf(servers), registration, { oneway: true });
    expect(outcomes.map(({ status, result }) => [status, result])).to.deep.equal([
      ['sent', undefined],
      ['sent', undefined],
    ]);
    for (const server of servers) expect((await server.nth(REGISTER_BROKER, 1)).isOneway).to.equal(true);
  });

  it('says truthfully that a body is compressed, and gives it the layout that all name servers read (R5, R19)', async () => {
    const servers = await start(1);
    for (const fiveX of [false, true]) {
      await registerBrokerAll(client, addressesOf(servers), { ...registration, compressed: true, fiveX });
      const request = servers[0]?.requests.at(-1) as RemotingCommand;
      expect(request.extFields?.['compressed']).to.equal('true');
      expect(request.version).to.equal(MqVersion.V4_9_7);
      expect([...(request.body ?? []).slice(0, 2)]).to.deep.equal([0x78, 0xda]);
      expect(request.extFields?.['bodyCrc32']).to.equal(String(bodyCrc32(request.body)));
      expect([...(registeredBody(request).topicConfigSerializeWrapper.topicConfigTable?.keys() ?? [])]).to.deep.equal([
        'T1',
        'T2',
      ]);
    }
  });

  it('does nothing without addresses', async () => {
    expect(await registerBrokerAll(client, [], registration)).to.deep.equal({ outcomes: [], completed: [] });
  });

  it('ends at once when it is given up, and sends nothing any more', async () => {
    const servers = await start(2);
    const controller = new AbortController();
    const round = registerBrokerAll(client, addressesOf(servers), registration, { signal: controller.signal });
    controller.abort();
    expect((await round).outcomes.map(({ error }) => error?.code)).to.deep.equal(['ABORTED', 'ABORTED']);
    for (const server of servers) await client.unregisterBroker(server.address, identity);
    expect(servers.flatMap((server) => server.names)).to.deep.equal(['UNREGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('unregisterBrokerAll: asks all at once and takes 3 s at most, whatever hangs or is dead (R25)', async () => {
    const servers = await start(3);
    (servers[0] as ScriptedNameServer).freeze();
    const dead = await deadAddress();
    let left = 3;
    let round = Promise.resolve<FanOutResult<void>>({ outcomes: [], completed: [] });
    const answered = new Promise<void>((resolve) => {
      const options = { onOutcome: () => --left === 0 && resolve() };
      round = unregisterBrokerAll(client, [...addressesOf(servers), dead], identity, options);
    });
    await Promise.all(servers.map((server) => server.nth(UNREGISTER_BROKER, 1)));
    expect({ ...servers[2]?.requests[0]?.extFields }).to.deep.equal({
      clusterName: 'C1',
      brokerName: 'broker-a',
      brokerId: '0',
      brokerAddr: '10.0.0.1:10911',
    });
    await answered;
    clock.advance(3_000);
    expect(statuses((await round).outcomes)).to.deep.equal(['timeout', 'ok', 'ok', 'failed']);
  });
});
