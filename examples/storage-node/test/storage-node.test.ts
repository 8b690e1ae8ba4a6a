import { decodeKvTable } from '@rmqns/protocol';
import {
  encodeHeader,
  parseSocketAddress,
  RemotingCommand,
  RemotingError,
  RemotingServer,
  SerializeType,
} from '@rmqns/remoting';
import { freePort } from '@rmqns/test-kit';
import { expect } from 'chai';
import { GetBrokerRuntimeInfo, GetMaxOffset, SendMessage } from '../src/commands.js';
import { handleSends } from '../src/handle-sends.js';
import { hostBytes } from '../src/message.js';
import { MessageStore } from '../src/message-store.js';
import { createNodeState } from '../src/node-state.js';
import { createStorageNode } from '../src/storage-node.js';
import { bodyOf, refusal, StorageNodeHome, SUSPEND, sendHeader } from './storage-node-home.js';

describe('a storage node', () => {
  let home: StorageNodeHome;
  beforeEach(async () => {
    home = await StorageNodeHome.start();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  it('refuses every other code at once with 3, failed messages (36) included', async () => {
    for (const code of [36, 37, 12, 26, 33, 46, 400, 999]) {
      const answer = await home.client.invokeSync(home.node.brokerAddr, RemotingCommand.request(code));
      expect([answer.code, answer.remark]).to.deep.equal([3, ` request type ${code} not supported`]);
    }
  });

  it('answers in the header format of the request', async () => {
    const extFields = encodeHeader(GetMaxOffset.request, { topic: 'Orders', queueId: 0 });
    const serializeType = SerializeType.ROCKETMQ;
    const request = RemotingCommand.request(GetMaxOffset.code, { extFields, serializeType });
    const answer = await home.client.invokeSync(home.node.brokerAddr, request);
    expect([answer.code, answer.serializeType]).to.deep.equal([0, SerializeType.ROCKETMQ]);
  });

  it('tells tools about itself', async () => {
    await home.send('one');
    await home.pull();
    const { body } = await home.client.call(home.node.brokerAddr, GetBrokerRuntimeInfo, {});
    const info = decodeKvTable(body ?? new Uint8Array());
    expect(info?.get('brokerVersionDesc')).to.equal('V5_3_3');
    expect(info?.get('msgPutTotalTodayNow')).to.equal('1');
    expect(info?.get('msgGetTotalTodayNow')).to.equal('1');
    expect(info?.get('putTps')).to.equal('1.00 1.00 1.00');
    expect(info?.get('earliestMessageTimeStamp')).to.equal(String(home.clock.now()));
    expect(info?.get('ackThreadPoolQueueHeadWaitTimeMills')).to.equal('0');
  });

  it('listens on the port less 2 as well when it is told to', async () => {
    const port = await freePort();
    await home.restart({ port, vipChannel: true });
    await home.client.call(`127.0.0.1:${port - 2}`, SendMessage, sendHeader, { body: Buffer.from('vip') });
    expect((await home.pull()).messages.map(bodyOf)).to.deep.equal(['vip']);
  });

  it('is closed when the second port is taken', async () => {
    const port = parseSocketAddress(home.node.brokerAddr).port + 2;
    const other = createStorageNode({ topics: [], clock: home.clock, port, vipChannel: true });
    const error = await other.start().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RemotingError).with.property('code', 'BIND_FAILED');
    await expectFree(port);
    expect(home.clock.pendingTimers).to.equal(1);
  });

  for (const vipChannel of [false, true])
    it(`listens nowhere when it is closed while it starts, ${vipChannel ? 'with' : 'without'} a second port`, async () => {
      const port = await freePort();
      const other = createStorageNode({ topics: [], clock: home.clock, port, vipChannel });
      const started = other.start().catch((thrown: unknown) => thrown);
      await other.close();
      expect(await started)
        .to.be.instanceOf(RemotingError)
        .with.property('code', 'CLOSED');
      await expectFree(port);
      await expectFree(port - 2);
      expect(home.clock.pendingTimers).to.equal(1);
    });

  it('refuses sends with 14 from the first word of closing on', async () => {
    const state = createNodeState(
      home.clock,
      new MessageStore([['Orders', 1]], 10_000, home.clock),
      hostBytes('127.0.0.1:1'),
    );
    await using server = new RemotingServer();
    handleSends(server, state);
    await server.start();
    state.isClosing = true;
    expect(await refusal(home.client.call(server.address, SendMessage, sendHeader))).to.deep.equal({
      code: 14,
      remark: 'this node is shutting down',
    });
    expect(state.store.messageCount).to.equal(0);
  });

  for (const [what, options, sentence] of [
    ['a limit that is no number', { maxStoreBytes: Number.NaN }, "the store's limit is a number of bytes"],
    ['a limit of nothing', { maxStoreBytes: 0 }, "the store's limit is a number of bytes"],
    ['no limit', { maxStoreBytes: Number.POSITIVE_INFINITY }, "the store's limit is a number of bytes"],
    ['a second port below 1', { port: 2, vipChannel: true }, 'with the VIP channel the port is above 2'],
    ['to listen on a name', { host: 'localhost', brokerIp: '10.0.0.1' }, 'localhost is no IPv4 address'],
    ['to listen on IPv6', { host: '::1' }, '::1 is no IPv4 address'],
    ['to be dialled at IPv6', { brokerIp: '::1' }, '::1 is no IPv4 address'],
    ['to be dialled at every address', { host: '0.0.0.0' }, 'no client can dial 0.0.0.0'],
    ['to be dialled at every address of IPv6', { host: '::' }, 'no client can dial ::'],
    ['the topic by which brokers create others', { topics: ['TBW102'] }, 'TBW102 is the topic'],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(() => createStorageNode({ topics: [], ...options })).to.throw(RemotingError, sentence);
    });

  it('registers the address that it is told, wherever it listens', async () => {
    await using other = createStorageNode({ topics: [], clock: home.clock, host: '0.0.0.0', brokerIp: '127.0.0.2' });
    await other.start();
    expect(other.brokerAddr).to.match(/^127\.0\.0\.2:\d+$/);
  });

  it('answers what it holds with 19 when it is closed', async () => {
    const held = home.pull({ sysFlag: SUSPEND });
    await home.untilHeld(1);
    await Promise.all([home.node.close(), home.node.close()]);
    expect((await held).code).to.equal(19);
  });
});

/** Listens and stops, which fails when somebody else listens there. */
async function expectFree(port: number): Promise<void> {
  const server = new RemotingServer({ port });
  await server.start();
  await server.close();
}
