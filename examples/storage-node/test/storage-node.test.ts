import { deflateSync } from 'node:zlib';
import { decodeKvTable, ResponseCode } from '@rmqns/protocol';
import {
  CommandError,
  decodeHeader,
  encodeHeader,
  parseSocketAddress,
  RemotingClient,
  RemotingCommand,
  RemotingError,
  RemotingServer,
  type RequestContext,
  SerializeType,
} from '@rmqns/remoting';
import type { HeaderInput } from '@rmqns/remoting/command';
import { ManualClock } from '@rmqns/remoting/testing';
import { freePort } from '@rmqns/test-kit';
import { expect } from 'chai';
import {
  GetBrokerRuntimeInfo,
  GetConsumerListByGroup,
  GetMaxOffset,
  GetMinOffset,
  HeartBeat,
  LockBatchMq,
  NotifyConsumerIdsChanged,
  PullMessage,
  QueryConsumerOffset,
  SearchOffsetByTimestamp,
  SendBatchMessage,
  SendMessage,
  SendMessageV2,
  UnlockBatchMq,
  UnregisterClient,
  UpdateConsumerOffset,
} from '../src/commands.js';
import { handleSends } from '../src/handle-sends.js';
import { hostBytes, type Message } from '../src/message.js';
import { MessageStore } from '../src/message-store.js';
import { createNodeState } from '../src/node-state.js';
import { createStorageNode, type StorageNodeOptions } from '../src/storage-node.js';
import { batchBody } from './batch.js';
import { decodeMessages } from './decode-message.js';

type Node = ReturnType<typeof createStorageNode>;

const sendHeader = { topic: 'Orders', queueId: 0, sysFlag: 0, bornTimestamp: 1_700_000_000_000, flag: 0 };
const pullHeader = {
  consumerGroup: 'g',
  topic: 'Orders',
  queueId: 0,
  queueOffset: 0,
  maxMsgNums: 32,
  sysFlag: 0,
  commitOffset: 0,
  suspendTimeoutMillis: 15_000,
};
const SUSPEND = 2;

describe('a storage node', () => {
  let clock: ManualClock;
  let node: Node;
  let client: RemotingClient;

  async function start(options: Partial<StorageNodeOptions> = {}): Promise<void> {
    clock = new ManualClock();
    node = createStorageNode({ topics: ['Orders'], clock, ...options });
    await node.start();
    client = new RemotingClient();
  }

  beforeEach(() => start());

  afterEach(async () => {
    await client.destroy();
    await node.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  function send(text: string, header: Partial<HeaderInput<typeof SendMessage.request>> = {}) {
    return client.call(node.brokerAddr, SendMessage, { ...sendHeader, ...header }, { body: Buffer.from(text) });
  }

  async function pull(header: Partial<HeaderInput<typeof PullMessage.request>> = {}, from = client) {
    const extFields = encodeHeader(PullMessage.request, { ...pullHeader, ...header });
    const answer = await from.invokeSync(node.brokerAddr, RemotingCommand.request(PullMessage.code, { extFields }));
    const { suggestWhichBrokerId, ...offsets } = decodeHeader(PullMessage.response, answer.extFields);
    expect(suggestWhichBrokerId).to.equal(0);
    return { code: answer.code, ...offsets, messages: decodeMessages(answer.body) };
  }

  async function refusal(call: Promise<unknown>): Promise<{ code: number; remark: string }> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CommandError)) throw new Error('the call should have been refused', { cause: error });
    return { code: error.responseCode, remark: error.remark ?? '' };
  }

  /** Resolves when so many pulls are held: what came before on the connection is then done. */
  async function untilHeld(count: number): Promise<void> {
    while (node.heldPullCount !== count) await new Promise((resolve) => setImmediate(resolve));
  }

  async function maxOffset(queueId = 0) {
    return (await client.call(node.brokerAddr, GetMaxOffset, { topic: 'Orders', queueId })).header.offset;
  }

  describe('that is sent messages', () => {
    it('hands them out as they were, with what it added', async () => {
      const body = deflateSync('x'.repeat(5000));
      const sent = await client.call(
        node.brokerAddr,
        SendMessageV2,
        { b: 'Orders', e: 2, f: 769, g: 1_700_000_000_123, h: 9, i: 'TAGS\u0001a', j: 1 },
        { body },
      );
      expect(sent.header.queueId).to.equal(2);
      expect(sent.header.queueOffset).to.equal(0);
      const { messages, ...answer } = await pull({ queueId: 2 });
      expect(answer).to.deep.equal({ code: 0, nextBeginOffset: 1, minOffset: 0, maxOffset: 1 });
      const [message] = messages;
      expect({ ...message, bornHost: undefined, storeHost: undefined }).to.deep.equal({
        topic: 'Orders',
        queueId: 2,
        flag: 9,
        queueOffset: 0,
        physicalOffset: 0,
        sysFlag: 769,
        bornTimestamp: 1_700_000_000_123,
        bornHost: undefined,
        storeTimestamp: clock.now(),
        storeHost: undefined,
        reconsumeTimes: 1,
        body,
        properties: Buffer.from('TAGS\u0001a'),
      });
      expect(message?.bornHost.subarray(0, 4).join('.')).to.equal('127.0.0.1');
      expect(message?.storeHost).to.deep.equal(hostBytes(node.brokerAddr));
    });

    it('tells the ids that consumers compute', async () => {
      await send('one');
      const { msgId } = (await send('two')).header;
      const second = (await pull()).messages[1];
      const [host = '', offset] = [hostBytes(node.brokerAddr).toString('hex'), second?.physicalOffset.toString(16)];
      expect(msgId).to.equal(`${host}${offset?.padStart(16, '0')}`.toUpperCase());
    });

    it('stores a batch as its messages, by code 320 and by the flag', async () => {
      const record = (text: string) => ({ flag: 5, body: Buffer.from(text), properties: Buffer.from('') });
      const body = batchBody([record('a'), record('b'), record('c')]);
      const header = { b: 'Orders', e: 0, f: 0, g: 1, h: 0, i: 'WAIT\u0001true\u0002' };
      const first = await client.call(node.brokerAddr, SendBatchMessage, header, { body });
      expect(first.header.msgId.split(',').length).to.equal(3);
      const second = await client.call(node.brokerAddr, SendMessageV2, { ...header, m: true }, { body });
      expect(second.header.queueOffset).to.equal(3);
      const { messages } = await pull();
      expect(messages.map(bodyOf)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
      expect(messages.map(({ flag, properties }) => [flag, properties.length])).to.deep.equal(
        messages.map(() => [5, 0]),
      );
    });

    it('chooses queues in turn for a negative number', async () => {
      const queueIds: number[] = [];
      for (let i = 0; i < 5; i++) queueIds.push((await send('x', { queueId: -1 })).header.queueId);
      expect(queueIds).to.deep.equal([0, 1, 2, 3, 0]);
    });

    it('stores a oneway message and answers nothing', async () => {
      await client.oneway(node.brokerAddr, SendMessage, sendHeader, { body: Buffer.from('quiet') });
      expect(await maxOffset()).to.equal(1);
    });

    const long = 'x'.repeat(40 * 1024);
    for (const [what, header, body, code] of [
      ['a half message, by its flag', { sysFlag: 4 }, 'x', 16],
      ['a half message, by its property', { properties: 'TRAN_MSG\u0001true\u0002' }, 'x', 16],
      ['a half message, whatever the case of its property', { properties: 'TRAN_MSG\u0001TRUE\u0002' }, 'x', 16],
      ['what the last of two equal properties forbids', { properties: 'DELAY\u00010\u0002DELAY\u00013' }, 'x', 13],
      ['a delayed message', { properties: 'TAGS\u0001a\u0002DELAY\u00013' }, 'x', 13],
      ['a message with a timer', { properties: 'TIMER_DELAY_MS\u00011000\u0002' }, 'x', 13],
      ['a body above 4 MiB', {}, 'x'.repeat(5 * 1024 * 1024), 13],
      ['a property text above 32,767 bytes', { properties: `A\u0001${long}` }, 'x', 13],
      ['a topic name above 127 bytes', { topic: 'x'.repeat(128) }, 'x', 13],
      ['a queue that is not there', { queueId: 99 }, 'x', 1],
      ['a topic that is not there', { topic: 'Unknown' }, 'x', 17],
      ['a batch with a broken length', { batch: true }, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 13],
    ] as const) {
      it(`refuses ${what} with ${code}, and stores nothing`, async () => {
        expect((await refusal(send(body, header))).code).to.equal(code);
        expect(await maxOffset()).to.equal(0);
      });
    }

    it('refuses a whole batch for one half message in it', async () => {
      const record = (properties: string) => ({ flag: 0, body: Buffer.from('x'), properties: Buffer.from(properties) });
      const body = batchBody([record(''), record('TRAN_MSG\u0001true')]);
      expect((await refusal(send(body.toString('latin1'), { batch: true }))).code).to.equal(16);
      expect(await maxOffset()).to.equal(0);
    });

    it('refuses with 14 what does not fit its memory', async () => {
      await client.destroy();
      await node.close();
      await start({ maxStoreBytes: 1500 });
      await send('x'.repeat(500));
      expect((await refusal(send('x'.repeat(500)))).code).to.equal(ResponseCode.SERVICE_NOT_AVAILABLE);
      expect(await maxOffset()).to.equal(1);
    });
  });

  describe('that is pulled from', () => {
    it('holds a pull at the end until a message comes to that queue', async () => {
      const held = pull({ sysFlag: SUSPEND });
      await untilHeld(1);
      await send('elsewhere', { queueId: 1 });
      expect(node.heldPullCount).to.equal(1);
      await send('here');
      const { code, nextBeginOffset, messages } = await held;
      expect([code, nextBeginOffset, messages.map(bodyOf)]).to.deep.equal([0, 1, ['here']]);
    });

    it('answers 19 after the time that the consumer gave, 25 s at most', async () => {
      const short = pull({ sysFlag: SUSPEND });
      const long = pull({ sysFlag: SUSPEND, suspendTimeoutMillis: 60_000 });
      await untilHeld(2);
      clock.advance(14_999);
      expect(node.heldPullCount).to.equal(2);
      clock.advance(1);
      expect((await short).code).to.equal(19);
      clock.advance(9_999);
      expect(node.heldPullCount).to.equal(1);
      clock.advance(1);
      expect(await long).to.deep.equal({ code: 19, nextBeginOffset: 0, minOffset: 0, maxOffset: 0, messages: [] });
    });

    it('moves a held pull on when the message is not for it', async () => {
      const held = pull({ sysFlag: SUSPEND | 4, subscription: 'a || b' });
      await untilHeld(1);
      await send('x', { properties: 'TAGS\u0001c' });
      expect(await held).to.deep.equal({ code: 20, nextBeginOffset: 1, minOffset: 0, maxOffset: 1, messages: [] });
    });

    it('answers 19 at once when it may not hold, and 21 beyond the end', async () => {
      expect((await pull()).code).to.equal(19);
      expect(await pull({ queueOffset: 3, sysFlag: SUSPEND })).to.deep.include({ code: 21, nextBeginOffset: 0 });
    });

    it('answers other requests of a connection while its pull is held', async () => {
      const held = pull({ sysFlag: SUSPEND });
      await untilHeld(1);
      expect(await maxOffset()).to.equal(0);
      await send('now');
      await held;
    });

    it('forgets the held pulls of a connection that ends', async () => {
      const other = new RemotingClient();
      const held = pull({ sysFlag: SUSPEND }, other).catch(() => 'failed');
      await untilHeld(1);
      await other.destroy();
      expect(await held).to.equal('failed');
      await untilHeld(0);
    });

    it('keeps the offset that a pull brings along', async () => {
      await pull({ sysFlag: 1, commitOffset: 0 });
      const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 0 };
      expect((await client.call(node.brokerAddr, QueryConsumerOffset, queue)).header.offset).to.equal(0);
    });

    it('hands out up to 256 KiB at once, or what the client takes if that is less', async () => {
      for (let i = 0; i < 3; i++) await send('x'.repeat(100 * 1024));
      const count = async (maxMsgBytes?: number) => (await pull({ maxMsgBytes })).messages.length;
      expect([await count(), await count(2 ** 31 - 1), await count(150 * 1024), await count(1)]).to.deep.equal([
        2, 2, 1, 1,
      ]);
    });

    it('does not keep a negative offset that a pull brings along, and answers the pull', async () => {
      expect((await pull({ sysFlag: 1, commitOffset: -1 })).code).to.equal(19);
      const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 0 };
      expect((await refusal(client.call(node.brokerAddr, QueryConsumerOffset, queue))).code).to.equal(22);
    });

    it('refuses an unknown topic with 17, a queue outside it with 1, SQL and a long name with 1', async () => {
      const refused = async (header: Partial<HeaderInput<typeof PullMessage.request>>) => {
        const extFields = encodeHeader(PullMessage.request, { ...pullHeader, ...header });
        return (await client.invokeSync(node.brokerAddr, RemotingCommand.request(PullMessage.code, { extFields })))
          .code;
      };
      expect(await refused({ topic: 'Unknown' })).to.equal(17);
      expect(await refused({ queueId: 4 })).to.equal(1);
      expect(await refused({ sysFlag: 4, subscription: 'a > 1', expressionType: 'SQL92' })).to.equal(1);
      expect(await refused({ sysFlag: 1, consumerGroup: 'g'.repeat(256) })).to.equal(1);
    });
  });

  describe('that keeps positions', () => {
    const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 1 };

    it('answers 22 to a group that has none, and later what was last committed, lower or not', async () => {
      expect((await refusal(client.call(node.brokerAddr, QueryConsumerOffset, queue))).code).to.equal(22);
      for (const commitOffset of [7, 3]) {
        await client.oneway(node.brokerAddr, UpdateConsumerOffset, { ...queue, commitOffset });
        const { offset } = (await client.call(node.brokerAddr, QueryConsumerOffset, queue)).header;
        expect(offset).to.equal(commitOffset);
      }
    });

    it('keeps none for a name of more than 255 characters', async () => {
      const long = { ...queue, consumerGroup: 'g'.repeat(256), commitOffset: 1 };
      expect(await refusal(client.call(node.brokerAddr, UpdateConsumerOffset, long))).to.deep.equal({
        code: 1,
        remark: 'a name has 256 characters; 255 are allowed',
      });
    });

    it('finds the ends of a queue, and places by time', async () => {
      await send('one', { queueId: 1 });
      clock.advance(1000);
      await send('two', { queueId: 1 });
      const place = { topic: 'Orders', queueId: 1 };
      const search = async (timestamp: number) =>
        (await client.call(node.brokerAddr, SearchOffsetByTimestamp, { ...place, timestamp })).header.offset;
      expect((await client.call(node.brokerAddr, GetMinOffset, place)).header.offset).to.equal(0);
      expect(await maxOffset(1)).to.equal(2);
      expect([await search(0), await search(clock.now()), await search(clock.now() + 1)]).to.deep.equal([0, 1, 2]);
    });
  });

  describe('whose clients form groups', () => {
    /** A client with the oneway notices it got. */
    function consumer(): { client: RemotingClient; notices: string[]; nextNotice: () => Promise<void> } {
      const notices: string[] = [];
      let notify = (): void => {};
      const own = new RemotingClient();
      own.registerProcessor(NotifyConsumerIdsChanged.code, {
        processRequest(_ctx: RequestContext, request: RemotingCommand) {
          expect(request.isOneway).to.equal(true);
          notices.push(request.extFields?.['consumerGroup'] ?? '');
          notify();
          return undefined;
        },
      });
      return { client: own, notices, nextNotice: () => new Promise((resolve) => (notify = resolve)) };
    }

    function beat(from: RemotingClient, clientID: string, groupName = 'g') {
      const body = { clientID, consumerDataSet: [{ groupName }] };
      return from.call(node.brokerAddr, HeartBeat, {}, { body });
    }

    async function members() {
      return (await client.call(node.brokerAddr, GetConsumerListByGroup, { consumerGroup: 'g' })).body.consumerIdList;
    }

    it('lists the members and tells them of one that comes, and of one whose connection is lost', async () => {
      const one = consumer();
      const two = consumer();
      try {
        expect(await refusal(members())).to.deep.equal({ code: 1, remark: 'no consumer for this group, g' });
        await beat(one.client, 'one');
        const joined = one.nextNotice();
        await beat(two.client, 'two');
        await joined;
        expect(await members()).to.deep.equal(['one', 'two']);
        const left = one.nextNotice();
        await two.client.destroy();
        await left;
        expect(await members()).to.deep.equal(['one']);
        expect(one.notices).to.deep.equal(['g', 'g', 'g']);
      } finally {
        await one.client.destroy();
        await two.client.destroy();
      }
    });

    it('tells every one of 300 members that one has left', async () => {
      const one = consumer();
      try {
        for (let i = 0; i < 300; i++) await beat(one.client, `member ${i}`, `group ${i}`);
        const told = one.notices.length;
        const two = new RemotingClient();
        const consumerDataSet = Array.from({ length: 300 }, (_, i) => ({ groupName: `group ${i}` }));
        await two.call(node.brokerAddr, HeartBeat, {}, { body: { clientID: 'in all', consumerDataSet } });
        while (one.notices.length < told + 300) await one.nextNotice();
        await two.destroy();
        while (one.notices.length < told + 600) await one.nextNotice();
        expect(new Set(one.notices.slice(-300)).size).to.equal(300);
      } finally {
        await one.client.destroy();
      }
    });

    it('takes no name of more than 255 characters', async () => {
      const long = 'x'.repeat(256);
      const remark = 'a name has 256 characters; 255 are allowed';
      expect(await refusal(beat(client, long))).to.deep.equal({ code: 1, remark });
      for (const [consumerGroup, clientId] of [
        [long, 'one'],
        ['g', long],
      ] as const) {
        const mqSet = [{ topic: 'Orders', brokerName: 'b', queueId: 0 }];
        const locking = client.call(node.brokerAddr, LockBatchMq, {}, { body: { consumerGroup, clientId, mqSet } });
        expect(await refusal(locking)).to.deep.equal({ code: 1, remark });
      }
    });

    it('removes a client that unregisters', async () => {
      await beat(client, 'one');
      await client.call(node.brokerAddr, UnregisterClient, { clientID: 'one', consumerGroup: 'g' });
      expect((await refusal(members())).code).to.equal(1);
    });

    it('removes a client that is connected but sends no heartbeat for 120 s', async () => {
      await beat(client, 'silent');
      clock.advance(60_000);
      expect(await members()).to.deep.equal(['silent']);
      clock.advance(60_000);
      expect((await refusal(members())).code).to.equal(1);
    });

    it('grants queues to one client at a time, none that are not there', async () => {
      const mq = (queueId: number) => ({ topic: 'Orders', brokerName: 'storage-node', queueId });
      const lock = async (clientId: string, ...queueIds: number[]) => {
        const body = { consumerGroup: 'g', clientId, mqSet: queueIds.map(mq) };
        return (await client.call(node.brokerAddr, LockBatchMq, {}, { body })).body.lockOKMQSet;
      };
      expect(await lock('one', 0, 1, 9)).to.deep.equal([mq(0), mq(1)]);
      expect(await lock('two', 1, 2)).to.deep.equal([mq(2)]);
      const body = { consumerGroup: 'g', clientId: 'one', mqSet: [mq(1)] };
      await client.call(node.brokerAddr, UnlockBatchMq, {}, { body });
      expect(await lock('two', 0, 1)).to.deep.equal([mq(1)]);
      clock.advance(60_000);
      expect(await lock('two', 0)).to.deep.equal([mq(0)]);
    });
  });

  it('refuses every other code at once with 3, failed messages (36) included', async () => {
    for (const code of [36, 37, 12, 26, 33, 46, 400, 999]) {
      const answer = await client.invokeSync(node.brokerAddr, RemotingCommand.request(code));
      expect([answer.code, answer.remark]).to.deep.equal([3, ` request type ${code} not supported`]);
    }
  });

  it('answers in the header format of the request', async () => {
    const extFields = encodeHeader(GetMaxOffset.request, { topic: 'Orders', queueId: 0 });
    const serializeType = SerializeType.ROCKETMQ;
    const request = RemotingCommand.request(GetMaxOffset.code, { extFields, serializeType });
    const answer = await client.invokeSync(node.brokerAddr, request);
    expect([answer.code, answer.serializeType]).to.deep.equal([0, SerializeType.ROCKETMQ]);
  });

  it('tells tools about itself', async () => {
    await send('one');
    await pull();
    const { body } = await client.call(node.brokerAddr, GetBrokerRuntimeInfo, {});
    const info = decodeKvTable(body ?? new Uint8Array());
    expect(info?.get('brokerVersionDesc')).to.equal('V5_3_3');
    expect(info?.get('msgPutTotalTodayNow')).to.equal('1');
    expect(info?.get('msgGetTotalTodayNow')).to.equal('1');
    expect(info?.get('putTps')).to.equal('1.00 1.00 1.00');
    expect(info?.get('earliestMessageTimeStamp')).to.equal(String(clock.now()));
    expect(info?.get('ackThreadPoolQueueHeadWaitTimeMills')).to.equal('0');
  });

  it('listens on the port less 2 as well when it is told to', async () => {
    await client.destroy();
    await node.close();
    const port = await freePort();
    await start({ port, vipChannel: true });
    await client.call(`127.0.0.1:${port - 2}`, SendMessage, sendHeader, { body: Buffer.from('vip') });
    expect((await pull()).messages.map(bodyOf)).to.deep.equal(['vip']);
  });

  it('is closed when the second port is taken', async () => {
    const port = parseSocketAddress(node.brokerAddr).port + 2;
    const other = createStorageNode({ topics: [], clock, port, vipChannel: true });
    const error = await other.start().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RemotingError).with.property('code', 'BIND_FAILED');
    await expectFree(port);
    expect(clock.pendingTimers).to.equal(1);
  });

  for (const vipChannel of [false, true])
    it(`listens nowhere when it is closed while it starts, ${vipChannel ? 'with' : 'without'} a second port`, async () => {
      const port = await freePort();
      const other = createStorageNode({ topics: [], clock, port, vipChannel });
      const started = other.start().catch((thrown: unknown) => thrown);
      await other.close();
      expect(await started)
        .to.be.instanceOf(RemotingError)
        .with.property('code', 'CLOSED');
      await expectFree(port);
      await expectFree(port - 2);
      expect(clock.pendingTimers).to.equal(1);
    });

  it('refuses sends with 14 from the first word of closing on', async () => {
    const state = createNodeState(clock, new MessageStore([['Orders', 1]], 10_000, clock), hostBytes('127.0.0.1:1'));
    await using server = new RemotingServer();
    handleSends(server, state);
    await server.start();
    state.isClosing = true;
    expect(await refusal(client.call(server.address, SendMessage, sendHeader))).to.deep.equal({
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
    await using other = createStorageNode({ topics: [], clock, host: '0.0.0.0', brokerIp: '127.0.0.2' });
    await other.start();
    expect(other.brokerAddr).to.match(/^127\.0\.0\.2:\d+$/);
  });

  it('answers what it holds with 19 when it is closed', async () => {
    const held = pull({ sysFlag: SUSPEND });
    await untilHeld(1);
    await Promise.all([node.close(), node.close()]);
    expect((await held).code).to.equal(19);
  });
});

/** Listens and stops, which fails when somebody else listens there. */
async function expectFree(port: number): Promise<void> {
  const server = new RemotingServer({ port });
  await server.start();
  await server.close();
}

function bodyOf({ body }: Message): string {
  return Buffer.from(body).toString('utf8');
}
