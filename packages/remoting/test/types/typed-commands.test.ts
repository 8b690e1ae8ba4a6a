import { expect } from 'chai';
import type { Channel, RemotingClient, RemotingServer } from '../../src/index.js';
import { bytes, compressed, defineCommand, json, optionalBody, t, text } from '../../src/index.js';

interface Point {
  readonly x: number;
}

const Move = defineCommand({
  code: 9001,
  name: 'MOVE',
  request: { name: t.string(), times: t.int().default(1), at: t.long().optional() },
  response: { moved: t.boolean() },
  requestBody: json<Point>(),
  responseBody: compressed(optionalBody(json<readonly Point[]>())),
});

const Ping = defineCommand({ code: 9002, name: 'PING' });

/** Is compiled, never called: each line below an expected error must not compile, or the build fails. */
export async function calls(client: RemotingClient): Promise<void> {
  const moved = await client.call('a:1', Move, { name: 'Ada' }, { body: { x: 1 } });
  const flag: boolean = moved.header.moved;
  const points: readonly Point[] | undefined = moved.body;
  await client.call('a:1', Ping, {});
  await client.oneway('a:1', Move, { name: 'Ada', at: 2n ** 60n }, { body: { x: flag ? 1 : (points?.length ?? 0) } });

  // @ts-expect-error a field that the header does not have
  await client.call('a:1', Move, { name: 'Ada', tmies: 2 }, { body: { x: 1 } });
  // @ts-expect-error a field of the wrong type
  await client.call('a:1', Move, { name: 1 }, { body: { x: 1 } });
  // @ts-expect-error a required field that is missing
  await client.call('a:1', Move, { times: 2 }, { body: { x: 1 } });
  // @ts-expect-error no body where one is required
  await client.call('a:1', Move, { name: 'Ada' });
  // @ts-expect-error options without the required body
  await client.oneway('a:1', Move, { name: 'Ada' }, { timeoutMillis: 1 });
  // @ts-expect-error a body of the wrong type
  await client.call('a:1', Move, { name: 'Ada' }, { body: { x: '1' } });
  // @ts-expect-error a field where the header has none
  await client.call('a:1', Ping, { name: 'Ada' });
  // @ts-expect-error a code in place of a command
  await client.call('a:1', 9001, { name: 'Ada' });
  // @ts-expect-error a field that the answer does not have
  moved.header.name;
  // @ts-expect-error an optional body used as if it were there
  moved.body.length;
}

export function definitions(): void {
  // @ts-expect-error no code
  defineCommand({ name: 'A' });
  // @ts-expect-error a code that is no number
  defineCommand({ code: '9001', name: 'A' });
  // @ts-expect-error a field type that is none
  defineCommand({ code: 1, name: 'A', request: { a: 'string' } });
  // @ts-expect-error a default of the wrong type
  t.int().default('1');
  // @ts-expect-error a validation that gives something else
  const body = json<Point>((value) => String(value));
  defineCommand({ code: 1, name: 'A', requestBody: body, responseBody: text() });
}

export function handlers(server: RemotingServer, channel: Channel): void {
  server.handle(Move, ({ header, body }) => {
    const { name, times, at }: { name: string; times: number; at?: number | bigint } = header;
    return { header: { moved: name.length + times + body.x > Number(at ?? 0) } };
  });
  server.handle(Ping, () => {});

  // @ts-expect-error an answer without its required header
  server.handle(Move, () => ({}));
  // @ts-expect-error no answer where one is required
  server.handle(Move, () => {});
  // @ts-expect-error an answer's field of the wrong type
  server.handle(Move, () => ({ header: { moved: 'yes' } }));
  // @ts-expect-error an answer's body of the wrong type
  server.handle(Move, () => ({ header: { moved: true }, body: 'yes' }));
  // @ts-expect-error a field that the request does not have
  server.handle(Move, ({ header }) => ({ header: { moved: header.nmae } }));
  // @ts-expect-error an address, where a server calls over a channel
  void server.call('a:1', Ping, {});
  void server.call(channel, Ping, {}, { body: bytes().encode(Buffer.of(1)) });
}

describe('typed commands', () => {
  it('are checked at both ends by the compiler', () => {
    // What they hold is held by the build; this says so where tests are counted.
    expect([calls, definitions, handlers].map((checked) => typeof checked)).to.deep.equal(Array(3).fill('function'));
  });
});
