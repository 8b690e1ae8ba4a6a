import { expect, use } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import {
  createPair,
  frameDifferences,
  frameMatchers,
  ManualClock,
  recordFrames,
  replay,
  type TestPair,
} from '../../src/testing.js';

use(frameMatchers);

function frame(command: RemotingCommand): Buffer {
  return Buffer.concat(encodeFrame(command));
}

function serve(pair: TestPair, text: string): void {
  pair.server.registerProcessor(1, {
    processRequest: (_ctx, request) =>
      RemotingCommand.response(0, undefined, { extFields: createExtFields({ text }), body: request.body }),
  });
  pair.server.registerProcessor(2, { processRequest: () => RemotingCommand.response(17, 'no such topic') });
}

describe('recordFrames', () => {
  it('records both directions of a pair with times, and shows them', async () => {
    const clock = new ManualClock();
    await using pair = createPair({ clock });
    serve(pair, 'x');
    const recording = recordFrames(pair, { clock });
    const request = RemotingCommand.request(1, {
      extFields: createExtFields({ name: 'Ada' }),
      body: Buffer.from('hello'),
    });
    await pair.client.invokeSync(pair.address, request, 3_000);
    clock.advance(1_500);
    await pair.client.invokeSync(pair.address, RemotingCommand.request(2), 3_000);
    recording.stop();
    await pair.client.invokeSync(pair.address, RemotingCommand.request(2), 3_000);

    expect(recording.frames.map(({ from, atMillis }) => [from, atMillis])).to.deep.equal([
      ['client', 0],
      ['server', 0],
      ['client', 1_500],
      ['server', 1_500],
    ]);
    const lines = recording
      .toString()
      .replaceAll(/#\d+/g, '#N')
      .replaceAll(/opaque=\d+/g, 'opaque=O')
      .replaceAll(/ frame=\d+/g, '')
      .split('\n');
    expect(lines).to.deep.equal([
      '      0.0 ms #N client -> request 1 opaque=O flag=00 JSON JAVA version=0 ext=[name="Ada"] body=5 68656c6c6f',
      '      0.0 ms #N server <- response 0 opaque=O flag=01 JSON JAVA version=0 ext=[text="x"] body=5 68656c6c6f',
      '   1500.0 ms #N client -> request 2 opaque=O flag=00 JSON JAVA version=0 body=0',
      '   1500.0 ms #N server <- response 17 opaque=O flag=01 JSON JAVA version=0 remark="no such topic" body=0',
      '',
    ]);
  });

  it('records at the client too, and what is no frame once', async () => {
    await using pair = createPair();
    serve(pair, 'x');
    const atClient = recordFrames(pair.client);
    const atServer = recordFrames(pair.server);
    await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    const bytes = (frames: typeof atClient.frames): string[] =>
      frames.map(({ from, bytes }) => from + bytes.toString('hex'));
    expect(bytes(atClient.frames)).to.deep.equal(bytes(atServer.frames));

    const channel = new EmbeddedChannel();
    const recording = recordFrames(channel, { side: 'client' });
    channel.writeOutbound([Buffer.from([0, 0, 0]), Buffer.from([8, 0, 0, 0, 0, 1, 2, 3, 4])]);
    channel.writeInbound(Buffer.from([0, 0, 0, 1, 9]));
    channel.writeInbound(Buffer.from([0, 0, 0, 1, 9]));
    expect(recording.frames.map((recorded) => [recorded.from, recorded.bytes.length])).to.deep.equal([['client', 12]]);
    expect(recording.problems).to.have.length(1);
    expect(recording.problems[0]).to.match(/^#\d+ from the server: a frame announces 1 bytes/);
  });
});

describe('replay', () => {
  async function recorded(): Promise<ReturnType<typeof recordFrames>> {
    await using pair = createPair();
    serve(pair, 'old');
    const recording = recordFrames(pair);
    await pair.client.invokeSync(pair.address, RemotingCommand.request(1, { body: Buffer.from('b') }), 3_000);
    await pair.client.invokeSync('memory:2', RemotingCommand.request(2), 3_000);
    await pair.client.invokeOneway(pair.address, RemotingCommand.request(1), 3_000);
    while (recording.frames.length < 5) await new Promise((resolve) => setImmediate(resolve));
    return recording;
  }

  it('finds a server that answers as the recorded one did', async () => {
    const { frames } = await recorded();
    await using pair = createPair();
    serve(pair, 'old');
    expect(await replay(frames, () => pair.connect())).to.deep.equal({ sent: 3, answered: 2, differences: [] });
  });

  it('names what differs, and answers that do not come', async () => {
    const { frames } = await recorded();
    const clock = new ManualClock();
    await using pair = createPair();
    serve(pair, 'new');
    pair.server.registerProcessor(2, { processRequest: () => undefined });
    const result = replay(frames, () => pair.connect(), { clock, timeoutMillis: 1_000 });
    while (clock.pendingTimers === 0) await clock.advanceAsync(0, 1);
    for (let i = 0; i < 30; i++) await clock.advanceAsync(100);
    const { answered, differences } = await result;
    expect(answered).to.equal(1);
    expect(differences.map((text) => text.replaceAll(/opaque \d+ of connection #\d+/g, 'O'))).to.deep.equal([
      'request 1 with O: extFields.text: "new", golden "old"',
      'request 2 with O: no answer within 1000 ms',
    ]);
  });
});

describe('equalFrame', () => {
  const golden = new RemotingCommand({
    code: 1,
    opaque: 5,
    extFields: createExtFields({ a: '1', b: '2' }),
    body: Buffer.from('body'),
  });

  it('takes no notice of the order of members', () => {
    const header = Buffer.from(
      '{"version":0,"opaque":5,"extFields":{"b":"2","a":"1"},"language":"JAVA","flag":0,"code":1}',
    );
    const other = Buffer.alloc(8);
    other.writeUInt32BE(4 + header.length + 4, 0);
    other.writeUInt32BE(header.length, 4);
    expect(Buffer.concat([other, header, Buffer.from('body')])).to.equalFrame(frame(golden));
    expect(golden).to.equalFrame(frame(golden));
  });

  it('names each field that differs', () => {
    const actual = new RemotingCommand({
      code: 2,
      opaque: 6,
      remark: 'r',
      extFields: createExtFields({ a: '1', c: '3' }),
      body: Buffer.from('bold!'),
    });
    expect(() => expect(actual).to.equalFrame(golden)).to.throw(
      [
        'expected the frame to equal the golden one, but:',
        '  code: 2, golden 1',
        '  opaque: 6, golden 5',
        '  remark: "r", golden none',
        '  extFields.b: none, golden "2"',
        '  extFields.c: "3", golden none',
        '  body: 5 bytes, golden 4; they part at byte 2: "ld!", golden "dy"',
      ].join('\n'),
    );
    expect(actual).not.to.equalFrame(golden);
    expect(actual).to.equalFrame(golden, { ignore: ['code', 'opaque', 'remark', 'extFields', 'body'] });
    const binary = golden.copy();
    binary.serializeType = SerializeType.ROCKETMQ;
    expect(frameDifferences(frame(binary), golden)).to.deep.equal(['serializeType: "ROCKETMQ", golden "JSON"']);
  });

  it('says what is wrong with bytes that are no frame', () => {
    expect(frameDifferences(Buffer.from([0, 0]), golden)).to.deep.equal([
      'the frame has 2 bytes, too few for its length',
    ]);
    expect(frameDifferences(golden, Buffer.from([0, 0, 0, 9, 1]))).to.deep.equal([
      'the golden frame announces 9 bytes, but 1 follow',
    ]);
  });
});
