import { RemotingError } from '@rmqns/remoting';
import { DecodeError } from '@rmqns/remoting/command';
import { loadStorageNodeVectors } from '@rmqns/test-kit';
import { expect } from 'chai';
import { encodeMessage, hostBytes, type Message, messageId, messageProperties, type Place } from '../src/message.js';
import { decodeMessage } from './decode-message.js';

/** A message as a capture tells it, field by field. */
interface CapturedMessage {
  readonly total_size: number;
  readonly queue_id: number;
  readonly flag: number;
  readonly queue_offset: number;
  readonly physical_offset: number;
  readonly sys_flag: number;
  readonly born_timestamp: number;
  readonly born_host: string;
  readonly store_timestamp: number;
  readonly store_host: string;
  readonly reconsume_times: number;
  readonly body_length: number;
  readonly topic: string;
  readonly properties: string;
}

const captures = loadStorageNodeVectors().flatMap((vector) => {
  const response = vector.response as unknown as { body_base64?: string; messages?: readonly CapturedMessage[] } | null;
  if (response?.messages === undefined) return [];
  return [{ name: vector.name, messages: response.messages, body: Buffer.from(response.body_base64 ?? '', 'base64') }];
});

const place: Place = {
  topic: 'Orders',
  queueId: 3,
  queueOffset: 5,
  physicalOffset: 1000,
  storeTimestamp: 1_700_000_000_001,
  storeHost: hostBytes('10.1.2.3:10911'),
};
const message: Message = {
  flag: 7,
  sysFlag: 1,
  bornTimestamp: 1_700_000_000_000,
  bornHost: hostBytes('10.0.0.7:5000'),
  reconsumeTimes: 2,
  body: Buffer.from('hello'),
  properties: Buffer.from('TAGS\u0001a\u0002'),
};

describe('the stored message', () => {
  it('has captures of real brokers to compare with', () => {
    expect(captures.map(({ name }) => name)).to.include.members(['11-pull-found.java-4.7.1', '11-pull.go']);
  });

  for (const { name, messages, body } of captures) {
    it(`reads and writes the answer of ${name} byte for byte`, () => {
      let at = 0;
      for (const captured of messages) {
        const read = decodeMessage(body.subarray(at));
        const properties = Buffer.from(read.properties).toString('utf8');
        expect({ ...read, body: read.body.length, properties }).to.deep.equal({
          queueId: captured.queue_id,
          flag: captured.flag,
          queueOffset: captured.queue_offset,
          physicalOffset: captured.physical_offset,
          sysFlag: captured.sys_flag,
          bornTimestamp: captured.born_timestamp,
          bornHost: hostBytes(captured.born_host),
          storeTimestamp: captured.store_timestamp,
          storeHost: hostBytes(captured.store_host),
          reconsumeTimes: captured.reconsume_times,
          body: captured.body_length,
          topic: captured.topic,
          properties: captured.properties,
        });
        const original = body.subarray(at, at + captured.total_size);
        expect(encodeMessage(read, read).toString('hex')).to.equal(original.toString('hex'));
        at += captured.total_size;
      }
      expect(at).to.equal(body.length);
    });
  }

  it('says nothing of long addresses and batches to unwrap, whatever the sender said', () => {
    const bytes = encodeMessage({ ...message, sysFlag: 0x3f1 }, place);
    expect(bytes.length).to.equal(91 + 5 + 6 + 7);
    expect(decodeMessage(bytes)).to.deep.equal({ ...message, ...place, sysFlag: 0x301 });
  });

  it('keeps memory of its own, not a part of what others use', () => {
    expect(encodeMessage(message, place).buffer.byteLength).to.equal(91 + 5 + 6 + 7);
  });

  it('is seen by a consumer to be cut off, wherever that is', () => {
    const bytes = encodeMessage(message, place);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeMessage(bytes.subarray(0, length)), String(length)).to.throw(DecodeError);
  });
});

describe('the message id', () => {
  it('is address, port and physical offset in upper-case hex', () => {
    const idOf = (address: string, physicalOffset: number) =>
      messageId({ ...place, storeHost: hostBytes(address), physicalOffset });
    expect(idOf('127.0.0.1:21911', 440)).to.equal('7F0000010000559700000000000001B8');
    expect(idOf('192.168.1.254:65535', 2 ** 40)).to.equal('C0A801FE0000FFFF0000010000000000');
  });

  it('cannot be made of a name or of IPv6', () => {
    for (const host of ['localhost', '[::1]'])
      expect(() => hostBytes(`${host}:1`), host).to.throw(RemotingError, 'is no IPv4 address');
  });
});

describe('the property text', () => {
  for (const [title, text, expected] of [
    ['may lack its last separator', 'A\u0001b\u0002C\u0001d', { A: 'b', C: 'd' }],
    ['or have it', 'A\u0001b\u0002', { A: 'b' }],
    ['counts the last of equal names', 'A\u0001b\u0002A\u0001c', { A: 'c' }],
    ['may hold what is no property', '\u0001x\u0002A\u0002\u0002B\u0001c', { B: 'c' }],
    ['may be empty', '', {}],
  ] as const)
    it(title, () => {
      expect(Object.fromEntries(messageProperties(Buffer.from(text)))).to.deep.equal(expected);
    });
});
