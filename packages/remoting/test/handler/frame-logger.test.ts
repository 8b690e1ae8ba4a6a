import { expect } from 'chai';
import fc from 'fast-check';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { FrameEncoder } from '../../src/handler/frame-encoder.js';
import { FrameLogger, type FrameLoggerOptions } from '../../src/handler/frame-logger.js';

function setUp(options: Partial<FrameLoggerOptions> = {}): { lines: string[]; channel: EmbeddedChannel } {
  const lines: string[] = [];
  const channel = new EmbeddedChannel({
    frameLogger: new FrameLogger({ log: (line) => void lines.push(line), ...options }),
    frameDecoder: new FrameDecoder(),
    frameEncoder: new FrameEncoder(),
  });
  return { lines, channel };
}

const request = (opaque: number): Buffer => Buffer.concat(encodeFrame(RemotingCommand.request(1, { opaque })));

describe('FrameLogger', () => {
  it('writes a line for each frame that comes in and goes out, and changes nothing', () => {
    const { lines, channel } = setUp();
    channel.writeInbound(request(7));
    expect((channel.readInbound() as RemotingCommand).opaque).to.equal(7);
    const response = RemotingCommand.response(0, undefined, { opaque: 7, body: Buffer.alloc(8_000) });
    channel.writeOutbound(response);
    const left = channel.readOutbound() as Buffer[];
    expect(Buffer.concat(left)).to.deep.equal(Buffer.concat(encodeFrame(response)));
    expect(lines).to.deep.equal([
      `< embedded:1 request 1 opaque=7 flag=00 JSON JAVA version=0 body=0 frame=${request(7).length}`,
      `> embedded:1 response 0 opaque=7 flag=01 JSON JAVA version=0 body=8000 frame=${Buffer.concat(left).length}`,
    ]);
  });

  it('sees frames however they are cut, and several in one write', () => {
    const bytes = Buffer.concat([request(1), request(2), request(3)]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const { lines, channel } = setUp();
        const ends = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
        for (let at = 1; at < ends.length; at++) channel.writeInbound(bytes.subarray(ends[at - 1], ends[at]));
        channel.writeOutbound(bytes);
        const opaques = lines.map((line) => `${line[0]}${/opaque=(\d+)/.exec(line)?.[1]}`);
        expect(opaques).to.deep.equal(['<1', '<2', '<3', '>1', '>2', '>3']);
      }),
      { numRuns: 50 },
    );
  });

  it('says once that bytes are no frames', () => {
    const { lines, channel } = setUp();
    channel.writeOutbound(Buffer.from('HTTP/1.1 400\r\n'), Buffer.from('more'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^> embedded:1 no frame: a frame of .* what follows in this direction is not shown$/);
    channel.writeInbound(request(1));
    expect(lines).to.have.length(2);
  });

  it('leaves other messages alone', () => {
    const { lines, channel } = setUp();
    channel.writeOutbound('text');
    expect([channel.readOutbound(), lines]).to.deep.equal(['text', []]);
  });
});
