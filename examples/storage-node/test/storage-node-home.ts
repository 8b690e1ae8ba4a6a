import { CommandError, decodeHeader, encodeHeader, RemotingClient, RemotingCommand } from '@rmqns/remoting';
import type { HeaderInput } from '@rmqns/remoting/command';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { GetMaxOffset, PullMessage, SendMessage } from '../src/commands.js';
import type { Message } from '../src/message.js';
import { createStorageNode, type StorageNodeOptions } from '../src/storage-node.js';
import { decodeMessages } from './decode-message.js';

export const sendHeader = { topic: 'Orders', queueId: 0, sysFlag: 0, bornTimestamp: 1_700_000_000_000, flag: 0 };
export const pullHeader = {
  consumerGroup: 'g',
  topic: 'Orders',
  queueId: 0,
  queueOffset: 0,
  maxMsgNums: 32,
  sysFlag: 0,
  commitOffset: 0,
  suspendTimeoutMillis: 15_000,
};
/** The flag of a pull that may be held. */
export const SUSPEND = 2;

/** A running node with the topic Orders, and a client of it. */
export class StorageNodeHome implements AsyncDisposable {
  clock = new ManualClock();
  node: ReturnType<typeof createStorageNode> = createStorageNode({ topics: ['Orders'], clock: this.clock });
  client = new RemotingClient();

  static async start(): Promise<StorageNodeHome> {
    const home = new StorageNodeHome();
    await home.node.start();
    return home;
  }

  /** Another node in the place of the one that there is. */
  async restart(options: Partial<StorageNodeOptions>): Promise<void> {
    await this.client.destroy();
    await this.node.close();
    this.clock = new ManualClock();
    this.node = createStorageNode({ topics: ['Orders'], clock: this.clock, ...options });
    await this.node.start();
    this.client = new RemotingClient();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.destroy();
    await this.node.close();
    expect(this.clock.pendingTimers).to.equal(0);
  }

  send(text: string, header: Partial<HeaderInput<typeof SendMessage.request>> = {}) {
    return this.client.call(
      this.node.brokerAddr,
      SendMessage,
      { ...sendHeader, ...header },
      { body: Buffer.from(text) },
    );
  }

  async pull(header: Partial<HeaderInput<typeof PullMessage.request>> = {}, from = this.client) {
    const extFields = encodeHeader(PullMessage.request, { ...pullHeader, ...header });
    const answer = await from.invokeSync(
      this.node.brokerAddr,
      RemotingCommand.request(PullMessage.code, { extFields }),
    );
    const { suggestWhichBrokerId, ...offsets } = decodeHeader(PullMessage.response, answer.extFields);
    expect(suggestWhichBrokerId).to.equal(0);
    return { code: answer.code, ...offsets, messages: decodeMessages(answer.body) };
  }

  /** Resolves when so many pulls are held: what came before on the connection is then done. */
  async untilHeld(count: number): Promise<void> {
    while (this.node.heldPullCount !== count) await new Promise((resolve) => setImmediate(resolve));
  }

  async maxOffset(queueId = 0) {
    return (await this.client.call(this.node.brokerAddr, GetMaxOffset, { topic: 'Orders', queueId })).header.offset;
  }
}

export async function refusal(call: Promise<unknown>): Promise<{ code: number; remark: string }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CommandError)) throw new Error('the call should have been refused', { cause: error });
  return { code: error.responseCode, remark: error.remark ?? '' };
}

export function bodyOf({ body }: Message): string {
  return Buffer.from(body).toString('utf8');
}
