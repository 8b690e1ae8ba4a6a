import { DecodeError } from '@rmqns/remoting/command';
import { loadStorageNodeVectors } from '@rmqns/test-kit';
import { expect } from 'chai';
import { formatInetHost, inetHost } from '../src/inet-host.js';
import { decodeStoredMessage, encodeStoredMessage, type StoredMessage } from '../src/stored-message.js';

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

const sample: StoredMessage = {
  topic: 'Orders',
  queueId: 3,
  flag: 7,
  queueOffset: 5,
  physicalOffset: 1000,
  sysFlag: 0x30 | 1,
  bornTimestamp: 1_700_000_000_000,
  bornHost: inetHost('2001:db8::7', 5000),
  storeTimestamp: 1_700_000_000_001,
  storeHost: inetHost('10.1.2.3', 10911),
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
        const message = decodeStoredMessage(body.subarray(at));
        expect({
          total_size: encodeStoredMessage(message).length,
          queue_id: message.queueId,
          flag: message.flag,
          queue_offset: message.queueOffset,
          physical_offset: message.physicalOffset,
          sys_flag: message.sysFlag,
          born_timestamp: message.bornTimestamp,
          born_host: formatInetHost(message.bornHost),
          store_timestamp: message.storeTimestamp,
          store_host: formatInetHost(message.storeHost),
          reconsume_times: message.reconsumeTimes,
          body_length: message.body.length,
          topic: message.topic,
          properties: Buffer.from(message.properties).toString('utf8'),
        }).to.deep.equal({
          total_size: captured.total_size,
          queue_id: captured.queue_id,
          flag: captured.flag,
          queue_offset: captured.queue_offset,
          physical_offset: captured.physical_offset,
          sys_flag: captured.sys_flag,
          born_timestamp: captured.born_timestamp,
          born_host: captured.born_host,
          store_timestamp: captured.store_timestamp,
          store_host: captured.store_host,
          reconsume_times: captured.reconsume_times,
          body_length: captured.body_length,
          topic: captured.topic,
          properties: captured.properties,
        });
        const original = body.subarray(at, at + captured.total_size);
        expect(encodeStoredMessage(message).toString('hex')).to.equal(original.toString('hex'));
        at += captured.total_size;
      }
      expect(at).to.equal(body.length);
    });
  }

  it('says by bits which address has 16 bytes, whatever the sender said', () => {
    const bytes = encodeStoredMessage(sample);
    expect(bytes.length).to.equal(91 + 12 + 5 + 6 + 7);
    expect(decodeStoredMessage(bytes)).to.deep.equal({ ...sample, sysFlag: 0x10 | 1 });
    const both = { ...sample, storeHost: inetHost('::1', 10911) };
    expect(decodeStoredMessage(encodeStoredMessage(both)).sysFlag).to.equal(0x30 | 1);
  });

  it('is refused when it is cut off anywhere, or its length is wrong', () => {
    const bytes = encodeStoredMessage(sample);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeStoredMessage(bytes.subarray(0, length)), String(length)).to.throw(DecodeError);
    }
    const longer = Buffer.from(bytes);
    longer.writeInt32BE(bytes.length + 1, 0);
    expect(() => decodeStoredMessage(longer)).to.throw(DecodeError, `says it has ${bytes.length + 1} bytes`);
  });
});
