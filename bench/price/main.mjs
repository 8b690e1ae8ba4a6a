/** `npm run bench:price`: what calls pay for what nobody uses, and large frames for how they come; see bench/README.md. */
import { tracingChannel } from 'node:diagnostics_channel';
import { parseArgs } from 'node:util';
import {
  encodeFrame,
  FrameDecoder,
  RemotingClient,
  RemotingCommand,
  RemotingServer,
  TracingChannelName,
} from '@rmqns/remoting';
import { EmbeddedChannel } from '@rmqns/remoting/testing';
import { CallPromise } from '../../packages/remoting/dist/src/rpc/call-promise.js';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { markdownTable, median, short, spread, writeResult } from '../harness/results.mjs';

const CODE = 1;
const IN_FLIGHT = 64;
const ROUNDS = 7;
const CALLS_A_ROUND = 30_000;
const LOOKS_A_ROUND = 10_000_000;
const PROMISES_A_ROUND = 300_000;
const BODY = Buffer.alloc(1024, 'x');
const CHUNK_BYTES = 1024;
/** As large as a frame may be, with its header. */
const LARGE_BODY = Buffer.alloc(16 * 1024 * 1024 - 512, 'x');
const FRAMES_A_ROUND = 4;

const usage = `npm run bench:price -- [options]

  --out FOLDER   where the result is written (bench/results)
  --no-write     only print it
  --help
`;

await main();

async function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, 'no-write': { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const machine = describeMachine();
  const product = describeProduct();
  const nanosPerLook = measureLooks();
  const call = await measureCalls();
  const tracing = { looksPerCall: call.looks, nanosPerLook };
  const stack = await measurePromises();
  const cut = measureCut();
  const callNanos = median(call.cpuNanos);
  const tracingShare = (tracing.looksPerCall * median(tracing.nanosPerLook)) / callNanos;
  const figures = { machine, product, rounds: ROUNDS, call, tracing: { ...tracing, share: tracingShare }, stack, cut };
  const text = reportText({ machine, product, call, tracing, tracingShare, stack, cut });
  process.stdout.write(`${text}\n`);
  if (values['no-write']) return;
  for (const path of writeResult({ name: 'price', folder: values.out, figures, text }))
    process.stderr.write(`bench:price: wrote ${path}\n`);
}

/** CPU of both sides for a call over TCP within this process, and how often a call looks whether anybody traces it. */
async function measureCalls() {
  const server = new RemotingServer({ port: 0 });
  server.registerProcessor(CODE, {
    processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
  });
  await server.start();
  const client = new RemotingClient();
  const calls = async (count) => {
    const worker = async () => {
      for (let i = 0; i < count / IN_FLIGHT; i++)
        await client.invokeSync(server.address, RemotingCommand.request(CODE, { body: BODY }));
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  };
  await calls(3 * CALLS_A_ROUND);
  const cpuNanos = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await calls(CALLS_A_ROUND);
    const { user, system } = process.cpuUsage(before);
    cpuNanos.push(((user + system) * 1000) / CALLS_A_ROUND);
  }
  // Counted last: the counting getter is slow, and stays so.
  const looks = await countLooks(() => calls(IN_FLIGHT * 100), IN_FLIGHT * 100);
  await client.close();
  await server.close();
  return { cpuNanos, looks };
}

/** How often `hasSubscribers` of the package's tracing channels is read, by a getter that counts. */
async function countLooks(work, times) {
  const prototype = Object.getPrototypeOf(tracingChannel(TracingChannelName.REQUEST));
  const original = Object.getOwnPropertyDescriptor(prototype, 'hasSubscribers');
  let looks = 0;
  Object.defineProperty(prototype, 'hasSubscribers', {
    ...original,
    get() {
      looks++;
      return original.get.call(this);
    },
  });
  try {
    await work();
  } finally {
    Object.defineProperty(prototype, 'hasSubscribers', original);
  }
  return looks / times;
}

/** At most what one look costs: a turn of a loop that looks at channels in turn, with all that the loop itself costs. */
function measureLooks() {
  const channels = Object.values(TracingChannelName).map((name) => tracingChannel(name));
  const nanos = () => {
    let seen = 0;
    const before = process.cpuUsage();
    for (let i = 0; i < LOOKS_A_ROUND; i++) if (channels[i % 3].hasSubscribers) seen++;
    const { user, system } = process.cpuUsage(before);
    if (seen > 0) throw new Error('somebody has subscribed');
    return ((user + system) * 1000) / LOOKS_A_ROUND;
  };
  nanos();
  return Array.from({ length: ROUNDS }, nanos);
}

/** A promise that keeps its caller's stack for a failure, and one that does not, each made, resolved and awaited. */
async function measurePromises() {
  const plain = () => {
    const made = { promise: undefined, resolve: undefined, reject: undefined };
    made.promise = new Promise((resolve, reject) => {
      made.resolve = resolve;
      made.reject = reject;
    });
    return made;
  };
  const keeping = () => new CallPromise();
  const nanos = async (make) => {
    const before = process.cpuUsage();
    for (let i = 0; i < PROMISES_A_ROUND; i++) {
      const made = make();
      made.resolve(i);
      await made.promise;
    }
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / PROMISES_A_ROUND;
  };
  await nanos(plain);
  await nanos(keeping);
  const plainNanos = [];
  const keepingNanos = [];
  for (let round = 0; round < ROUNDS; round++) {
    plainNanos.push(await nanos(plain));
    keepingNanos.push(await nanos(keeping));
  }
  return { plainNanos, keepingNanos, differences: keepingNanos.map((value, round) => value - plainNanos[round]) };
}

/** What decoding costs when the same bytes come in the same chunks, as one frame whose body is then asked for, and as a frame in each chunk. */
function measureCut() {
  const chunksOf = (bytes) =>
    Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, i) =>
      bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
    );
  const frameOf = (body) => Buffer.concat(encodeFrame(RemotingCommand.request(CODE, { body })));
  const head = frameOf(undefined).length;
  const large = chunksOf(frameOf(LARGE_BODY));
  const small = large.map(() => frameOf(BODY.subarray(head)));
  let bodyBytes = 0;
  const count = { channelRead: (_ctx, command) => (bodyBytes += command.body.length) };
  const channel = new EmbeddedChannel({ decoder: new FrameDecoder(), count });
  const millis = (chunks, bytes) => {
    bodyBytes = 0;
    const before = process.cpuUsage();
    for (let i = 0; i < FRAMES_A_ROUND; i++) for (const chunk of chunks) channel.writeInbound(chunk);
    const { user, system } = process.cpuUsage(before);
    if (bodyBytes !== FRAMES_A_ROUND * bytes) throw new Error(`${bodyBytes} bytes came out`);
    return (user + system) / 1000 / FRAMES_A_ROUND;
  };
  const largeMillis = [];
  const smallMillis = [];
  const once = () => ({
    large: millis(large, LARGE_BODY.length),
    small: millis(small, small.length * (CHUNK_BYTES - head)),
  });
  once();
  for (let round = 0; round < ROUNDS; round++) {
    const took = once();
    largeMillis.push(took.large);
    smallMillis.push(took.small);
  }
  return {
    chunks: large.length,
    largeMillis,
    smallMillis,
    ratios: largeMillis.map((value, i) => value / smallMillis[i]),
  };
}

function reportText({ machine, product, call, tracing, tracingShare, stack, cut }) {
  const rows = [
    ['a call of 1 KiB over TCP, both sides, CPU', `${spread(call.cpuNanos)} ns`],
    ['looks whether anybody traces it, a call (both sides)', short(tracing.looksPerCall)],
    ['one look, at most', `${spread(tracing.nanosPerLook)} ns`],
    ['tracing that nobody subscribed to, of a call (bar: < 1 %)', `at most ${short(100 * tracingShare)} %`],
    ['a promise of the call, made, resolved, awaited', `${spread(stack.keepingNanos)} ns`],
    ['a plain promise, the same', `${spread(stack.plainNanos)} ns`],
    ["keeping the caller's stack, a call that succeeds (bar: < 100 ns)", `${spread(stack.differences)} ns`],
    [`a frame of 16 MiB that comes in ${cut.chunks} chunks, decoded and joined`, `${spread(cut.largeMillis)} ms`],
    ['as many frames of 1 KiB, a chunk each, decoded', `${spread(cut.smallMillis)} ms`],
    ['the one beside the many (bar: 3 times at most)', spread(cut.ratios)],
  ];
  return [
    '# What calls pay for what nobody uses, and large frames for how they come',
    '',
    `@rmqns/remoting ${product}. Node ${machine.node} on ${machine.system}, ${machine.processors}; load average at the start ${machine.loadAverageAtStart}.`,
    '',
    `${ROUNDS} rounds; CPU, not time, so that a busy machine does less harm. The price of tracing is how often a call reads \`hasSubscribers\` times what one ` +
      'read costs: taking the reads out would change less than two runs differ.',
    '',
    markdownTable(['', 'median (least-most)'], rows),
  ].join('\n');
}
