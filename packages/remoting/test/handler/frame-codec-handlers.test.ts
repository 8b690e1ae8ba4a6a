import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { FrameEncoder } from '../../src/handler/frame-encoder.js';

function frame(code: number, body?: Uint8Array): Buffer {
  return Buffer.concat(encodeFrame(RemotingCommand.request(code, { opaque: code, body })));
}

function codesOf(channel: EmbeddedChannel): number[] {
  const codes: number[] = [];
  for (let message = channel.readInbound(); message !== undefined; message = channel.readInbound())
    codes.push((message as RemotingCommand).code);
  return codes;
}

describe('FrameDecoder', () => {
  it('makes a command of each frame, however the bytes are cut', () => {
    const bytes = Buffer.concat([frame(1), frame(2, Buffer.from('body')), frame(3)]);
    const whole = new EmbeddedChannel({ decoder: new FrameDecoder() });
    whole.writeInbound(bytes);
    expect(codesOf(whole)).to.deep.equal([1, 2, 3]);

    const cut = new EmbeddedChannel({ decoder: new FrameDecoder() });
    for (const byte of bytes) cut.writeInbound(Buffer.of(byte));
    expect(codesOf(cut)).to.deep.equal([1, 2, 3]);
  });

  it('passes on the commands before a bad frame, then the error with the address, closes, and writes nothing', () => {
    const caught: RemotingError[] = [];
    const channel = new EmbeddedChannel({
      decoder: new FrameDecoder(),
      last: { exceptionCaught: (_ctx, error) => caught.push(error) },
    });
    const bad = Buffer.from('0000000400000005', 'hex');
    channel.writeInbound(Buffer.concat([frame(1), bad, frame(2)]));
    expect(codesOf(channel)).to.deep.equal([1]);
    expect(caught.map((error) => [error.code, error.address])).to.deep.equal([['DECODE_FAILED', 'embedded:1']]);
    expect(caught[0]?.message).to.match(/^bad frame from embedded:1: /);
    expect([channel.isActive, channel.readOutbound()]).to.deep.equal([false, undefined]);
  });

  it('ignores what comes after a bad frame even when the close is held up', () => {
    const channel = new EmbeddedChannel({
      holder: { close() {} },
      decoder: new FrameDecoder(),
      last: { exceptionCaught() {} },
    });
    channel.writeInbound(Buffer.from('00000000', 'hex'));
    channel.writeInbound(frame(1));
    expect(channel.isActive).to.equal(true);
    expect(codesOf(channel)).to.deep.equal([]);
  });

  it('keeps nothing of a frame of 16 MiB that came in chunks of 1 KiB once its command is let go of (W46)', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const bytes = frame(1, Buffer.alloc(16 * 1024 * 1024 - 200, 'abcdefg'));
    const memories: WeakRef<ArrayBufferLike>[] = [];
    let whole = 0;
    const channel = new EmbeddedChannel({
      decoder: new FrameDecoder(),
      last: {
        channelRead(_ctx, message) {
          const { body = Buffer.of() } = message as RemotingCommand;
          memories.push(new WeakRef(body.buffer));
          if (bytes.subarray(-body.length).equals(body)) whole = body.length;
        },
      },
    });
    const left = (): number => memories.filter((memory) => memory.deref() !== undefined).length;
    for (let at = 0; at < bytes.length; at += 1024) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(1024, bytes.length - at));
      bytes.copy(chunk, 0, at);
      memories.push(new WeakRef(chunk.buffer));
      channel.writeInbound(chunk);
    }
    expect([whole, left()]).to.deep.equal([16 * 1024 * 1024 - 200, 16_384 + 1]);
    // Until the end of the turn nothing that was looked at is collected, and a collection that is under way may have found something while it was held.
    for (let times = 0; times === 0 || (times < 5 && left() > 0); times++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect([left(), channel.isActive]).to.deep.equal([0, true]);
  });

  it('refuses a frame above the limit as soon as its length is there (W44)', () => {
    const caught: RemotingError[] = [];
    const channel = new EmbeddedChannel({
      decoder: new FrameDecoder({ maxFrameBytes: 100 }),
      last: { exceptionCaught: (_ctx, error) => caught.push(error) },
    });
    channel.writeInbound(Buffer.from('00000061', 'hex'));
    expect(caught.map((error) => ({ ...error, message: error.message }))[0]).to.include({
      code: 'FRAME_TOO_LARGE',
      address: 'embedded:1',
      frameBytes: 101,
      maxFrameBytes: 100,
      message:
        'a frame of 101 bytes with embedded:1 exceeds the limit of 100 bytes; raise maxFrameBytes at both ends if such frames are meant',
    });
    expect(channel.isActive).to.equal(false);
  });

  it('stops in the middle of a chunk when a handler closes the channel, removes the decoder or switches reading off', () => {
    const bytes = Buffer.concat([frame(1), frame(2), frame(3)]);
    const stopAt2 = (stop: (channel: EmbeddedChannel) => void): number[] => {
      const codes: number[] = [];
      const last: ChannelHandler = {
        channelRead(ctx, message) {
          const { code } = message as RemotingCommand;
          codes.push(code);
          if (code === 2) stop(ctx.channel as EmbeddedChannel);
        },
      };
      new EmbeddedChannel({ decoder: new FrameDecoder(), last }).writeInbound(bytes);
      return codes;
    };
    expect(stopAt2((channel) => void channel.close())).to.deep.equal([1, 2]);
    expect(stopAt2((channel) => channel.destroy())).to.deep.equal([1, 2]);
    expect(stopAt2((channel) => channel.pipeline.remove('decoder'))).to.deep.equal([1, 2]);
    expect(
      stopAt2((channel) => {
        channel.autoRead = false;
      }),
    ).to.deep.equal([1, 2]);
  });

  it('tells by a user event that the connection ended inside a frame', () => {
    const log: unknown[] = [];
    const last: ChannelHandler = {
      userEventTriggered: (_ctx, event) => log.push(event),
      channelInactive: () => log.push('inactive'),
    };
    const channel = new EmbeddedChannel({ decoder: new FrameDecoder(), last });
    channel.writeInbound(frame(1).subarray(0, 7));
    channel.destroy();
    expect(log).to.deep.equal([{ type: 'truncatedFrame', bufferedBytes: 7 }, 'inactive']);
  });

  it('refuses a header above 256 KiB, or its own limit, before it is read', async () => {
    const failure = async (headerBytes: number, maxHeaderBytes?: number): Promise<string | undefined> => {
      const channel = new EmbeddedChannel({
        decoder: new FrameDecoder({ maxHeaderBytes }),
        last: { exceptionCaught() {} },
      });
      const bytes = Buffer.alloc(8 + headerBytes, ' ');
      bytes.writeUInt32BE(4 + headerBytes, 0);
      bytes.writeUInt32BE(headerBytes, 4);
      bytes.write('{}', 8);
      channel.writeInbound(bytes);
      if (channel.isActive) return undefined;
      return (await channel.closed)?.message;
    };
    expect(await failure(262_144)).to.equal(undefined);
    expect(await failure(262_145)).to.equal(
      "bad frame from embedded:1: a frame's header has 262145 bytes, but 262144 at most are taken; move large ext fields into the body, or raise maxHeaderBytes",
    );
    expect(await failure(300_000, 300_000)).to.equal(undefined);
    expect(await failure(9, 8)).to.match(/has 9 bytes, but 8 at most/);
  });

  it('lets an interceptor answer a frame from its bytes, and closes when it throws', async () => {
    const seen: string[] = [];
    const decoder = new FrameDecoder({
      interceptFrame(ctx, chunk, start, end) {
        const bytes = chunk.subarray(start, end);
        if (bytes.includes('"code":3')) throw new Error('no');
        if (!bytes.includes('"code":2')) return false;
        ctx.channel.writeAndFlush('answer');
        return true;
      },
    });
    const channel = new EmbeddedChannel({
      decoder,
      last: { exceptionCaught: (_ctx, error) => seen.push(error.message) },
    });
    channel.writeInbound(Buffer.concat([frame(1), frame(2), frame(4), frame(3), frame(5)]));
    expect(codesOf(channel)).to.deep.equal([1, 4]);
    expect(channel.readOutbound()).to.equal('answer');
    expect(seen).to.deep.equal(['the frame interceptor failed: no']);
    expect((await channel.closed)?.code).to.equal('HANDLER_FAILED');
  });

  it('passes on what is no bytes', () => {
    const channel = new EmbeddedChannel({ decoder: new FrameDecoder() });
    channel.writeInbound('text');
    expect(channel.readInbound()).to.equal('text');
  });
});

describe('FrameEncoder', () => {
  it('makes a frame of a command and passes bytes through', () => {
    const channel = new EmbeddedChannel({ encoder: new FrameEncoder() });
    const bytes = Buffer.from('raw');
    channel.writeOutbound(RemotingCommand.request(7, { opaque: 7 }), bytes);
    expect(channel.readOutbound()).to.deep.equal(frame(7));
    expect(channel.readOutbound()).to.equal(bytes);
  });

  it('fails only the write of a command that is too long, before a byte of it is written', () => {
    const body = Buffer.alloc(5000);
    const length = frame(7, body).length;
    const results: (RemotingError | undefined)[] = [];
    const write = (maxFrameBytes: number): EmbeddedChannel => {
      const channel = new EmbeddedChannel({ encoder: new FrameEncoder({ maxFrameBytes }) });
      channel.writeAndFlush(RemotingCommand.request(7, { opaque: 7, body }), (error) => results.push(error));
      return channel;
    };
    const refused = write(length - 1);
    expect([refused.isActive, refused.readOutbound()]).to.deep.equal([true, undefined]);
    expect(results.pop()).to.include({ code: 'FRAME_TOO_LARGE', opaque: 7, frameBytes: length, address: 'embedded:1' });
    write(length);
    expect(results).to.deep.equal([undefined]);
  });

  it('fails only the write of a command that cannot be encoded', () => {
    const results: unknown[] = [];
    const channel = new EmbeddedChannel({ encoder: new FrameEncoder() });
    const command = RemotingCommand.request(1, { extFields: { n: 1 as unknown as string } });
    channel.writeAndFlush(command, (error) => results.push(error?.code));
    expect(results).to.deep.equal(['ENCODE_FAILED']);
    expect(channel.isActive).to.equal(true);
  });
});
