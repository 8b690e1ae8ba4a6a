import { deflateSync } from 'node:zlib';
import { ResponseCode } from '@rmqns/protocol';
import { expect } from 'chai';
import { SendBatchMessage, SendMessage, SendMessageV2 } from '../src/commands.js';
import { hostBytes } from '../src/message.js';
import { batchBody } from './batch.js';
import { bodyOf, refusal, StorageNodeHome, sendHeader } from './storage-node-home.js';

describe('a storage node that is sent messages', () => {
  let home: StorageNodeHome;
  beforeEach(async () => {
    home = await StorageNodeHome.start();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  it('hands them out as they were, with what it added', async () => {
    const body = deflateSync('x'.repeat(5000));
    const sent = await home.client.call(
      home.node.brokerAddr,
      SendMessageV2,
      { b: 'Orders', e: 2, f: 769, g: 1_700_000_000_123, h: 9, i: 'TAGS\u0001a', j: 1 },
      { body },
    );
    expect(sent.header.queueId).to.equal(2);
    expect(sent.header.queueOffset).to.equal(0);
    const { messages, ...answer } = await home.pull({ queueId: 2 });
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
      storeTimestamp: home.clock.now(),
      storeHost: undefined,
      reconsumeTimes: 1,
      body,
      properties: Buffer.from('TAGS\u0001a'),
    });
    expect(message?.bornHost.subarray(0, 4).join('.')).to.equal('127.0.0.1');
    expect(message?.storeHost).to.deep.equal(hostBytes(home.node.brokerAddr));
  });

  it('tells the ids that consumers compute', async () => {
    await home.send('one');
    const { msgId } = (await home.send('two')).header;
    const second = (await home.pull()).messages[1];
    const [host = '', offset] = [hostBytes(home.node.brokerAddr).toString('hex'), second?.physicalOffset.toString(16)];
    expect(msgId).to.equal(`${host}${offset?.padStart(16, '0')}`.toUpperCase());
  });

  it('stores a batch as its messages, by code 320 and by the flag', async () => {
    const record = (text: string) => ({ flag: 5, body: Buffer.from(text), properties: Buffer.from('') });
    const body = batchBody([record('a'), record('b'), record('c')]);
    const header = { b: 'Orders', e: 0, f: 0, g: 1, h: 0, i: 'WAIT\u0001true\u0002' };
    const first = await home.client.call(home.node.brokerAddr, SendBatchMessage, header, { body });
    expect(first.header.msgId.split(',').length).to.equal(3);
    const second = await home.client.call(home.node.brokerAddr, SendMessageV2, { ...header, m: true }, { body });
    expect(second.header.queueOffset).to.equal(3);
    const { messages } = await home.pull();
    expect(messages.map(bodyOf)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(messages.map(({ flag, properties }) => [flag, properties.length])).to.deep.equal(messages.map(() => [5, 0]));
  });

  it('chooses queues in turn for a negative number', async () => {
    const queueIds: number[] = [];
    for (let i = 0; i < 5; i++) queueIds.push((await home.send('x', { queueId: -1 })).header.queueId);
    expect(queueIds).to.deep.equal([0, 1, 2, 3, 0]);
  });

  it('stores a oneway message and answers nothing', async () => {
    await home.client.oneway(home.node.brokerAddr, SendMessage, sendHeader, { body: Buffer.from('quiet') });
    expect(await home.maxOffset()).to.equal(1);
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
      expect((await refusal(home.send(body, header))).code).to.equal(code);
      expect(await home.maxOffset()).to.equal(0);
    });
  }

  it('refuses a whole batch for one half message in it', async () => {
    const record = (properties: string) => ({ flag: 0, body: Buffer.from('x'), properties: Buffer.from(properties) });
    const body = batchBody([record(''), record('TRAN_MSG\u0001true')]);
    expect((await refusal(home.send(body.toString('latin1'), { batch: true }))).code).to.equal(16);
    expect(await home.maxOffset()).to.equal(0);
  });

  it('refuses with 14 what does not fit its memory', async () => {
    await home.restart({ maxStoreBytes: 1500 });
    await home.send('x'.repeat(500));
    expect((await refusal(home.send('x'.repeat(500)))).code).to.equal(ResponseCode.SERVICE_NOT_AVAILABLE);
    expect(await home.maxOffset()).to.equal(1);
  });
});
