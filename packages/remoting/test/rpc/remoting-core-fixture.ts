import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { silentLogger } from '../../src/logger.js';
import { CommandDispatcher } from '../../src/rpc/command-dispatcher.js';
import { RemotingCore } from '../../src/rpc/remoting-core.js';
import type { RequestProcessor } from '../../src/rpc/request-processor.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';

type CoreOptions = ConstructorParameters<typeof RemotingCore>[0];

/** A core with one embedded channel, and the clock of its calls. */
export function setUp(options: Partial<CoreOptions> = {}): {
  core: RemotingCore;
  channel: EmbeddedChannel;
  clock: ManualClock;
} {
  const clock = new ManualClock();
  const core = new RemotingCore({
    clock,
    logger: silentLogger,
    maxInFlightPerChannel: 1_024,
    requestDeadlines: true,
    version: 479,
    language: 'JAVA',
    responseSerializeType: 'request',
    asyncPermits: 2,
    onewayPermits: 2,
    ...options,
  });
  return { core, clock, channel: new EmbeddedChannel([['dispatcher', new CommandDispatcher(core)]]) };
}

/** A request with an opaque of its own. */
export const request = (code: number, opaque: number, init = {}): RemotingCommand =>
  RemotingCommand.request(code, { opaque, ...init });
export const ONEWAY = { flag: 2 };
/** Answers with the request's body. */
export const echo: RequestProcessor = {
  processRequest: (_ctx, asked) => RemotingCommand.response(0, undefined, { body: asked.body }),
};

/** The next command that left. */
export function answer(channel: EmbeddedChannel): RemotingCommand | undefined {
  const message = channel.readOutbound();
  expect(message === undefined || message instanceof RemotingCommand).to.equal(true);
  return message as RemotingCommand | undefined;
}
