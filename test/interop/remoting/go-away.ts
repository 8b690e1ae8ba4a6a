import { RemotingClient, RemotingCommand, RemotingServer } from '@rmqns/remoting';
import { type ApacheVersion, eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Code, type JavaRemoting } from './java-remoting.js';
import { Relay } from './relay.js';

/** Answers with a code of its own; a processor that must end is under way once `asked` resolves. */
async function startServer(name: string): Promise<{ server: RemotingServer; asked: Promise<() => void> }> {
  const server = new RemotingServer();
  server.registerProcessor(Code.ECHO, { processRequest: () => RemotingCommand.response(0, name) });
  const asked = new Promise<() => void>((resolve) => {
    server.registerProcessor(Code.BLOCK, {
      processRequest: () => new Promise((release) => resolve(() => release(RemotingCommand.response(0, name)))),
    });
  });
  await server.start();
  return { server, asked };
}

/** Servers that end while clients call them: with GO_AWAY (1500) where both know it. A relay leads to the next server. */
export function describeGoAway(java: () => JavaRemoting, version: ApacheVersion): void {
  describe('when a server goes away', () => {
    const knowsGoAway = version === '5.3.3';

    it(`Java's client ${knowsGoAway ? 'calls again' : 'has its answer'} when ours is GO_AWAY`, async () => {
      const { server: first } = await startServer('first');
      await using _first = first;
      const { server: second } = await startServer('second');
      await using _second = second;
      await using relay = await Relay.start(first.address);
      using client = await java().client();
      expect(await client.invokeSync(relay.address, { code: Code.ECHO })).to.include({ remark: 'first' });
      first.registerProcessor(Code.ECHO, { processRequest: () => RemotingCommand.response(1500, 'please go away') });
      relay.target = second.address;
      for (const invoke of ['invokeSync', 'invokeAsync'] as const) {
        const { code, remark } = await client[invoke](relay.address, { code: Code.ECHO });
        expect({ code, remark }).to.deep.equal(
          knowsGoAway ? { code: 0, remark: 'second' } : { code: 1500, remark: 'please go away' },
        );
      }
    });

    it(`Java's client ${knowsGoAway ? 'moves on from' : 'is served by'} our server that closes`, async () => {
      const { server: first, asked } = await startServer('first');
      const { server: second } = await startServer('second');
      await using _second = second;
      await using relay = await Relay.start(first.address);
      using client = await java().client();
      const waiting = client.invokeSync(relay.address, { code: Code.BLOCK });
      const release = await asked;
      relay.target = second.address;
      const closed = first.close({ graceMillis: 10_000 });
      for (const invoke of ['invokeSync', 'invokeAsync'] as const) {
        const { code, remark } = await client[invoke](relay.address, { code: Code.ECHO });
        expect({ code, remark }).to.deep.equal({ code: 0, remark: knowsGoAway ? 'second' : 'first' });
      }
      release();
      expect(await waiting).to.include({ code: 0, remark: 'first' });
      await closed;
      expect(relay.connections).to.equal(knowsGoAway ? 2 : 1);
    });

    if (!knowsGoAway) return;

    it("our client moves on from Java's server that shuts down", async () => {
      const first = await java().server({ set: { enableShutdownGracefully: true, shutdownWaitTimeSeconds: 5 } });
      using second = await java().server();
      await using relay = await Relay.start(first.address);
      await using client = new RemotingClient({ version: java().ordinal });
      await using older = new RemotingClient({ version: 475 });
      const call = (caller: RemotingClient): Promise<RemotingCommand> =>
        caller.invokeSync(relay.address, RemotingCommand.request(Code.ECHO, { remark: 'here' }));
      await Promise.all([call(client), call(older)]);
      expect(relay.connections).to.equal(2);
      const blocked = client.invokeSync(relay.address, RemotingCommand.request(Code.BLOCK), 10_000);
      // The answer to a later request says that the first was read.
      await call(client);
      relay.target = second.address;
      first[Symbol.dispose]();
      const moved = async (): Promise<true | undefined> => {
        expect(await call(client)).to.include({ code: 0, remark: 'here' });
        return relay.connections === 3 ? true : undefined;
      };
      await eventually(moved, { what: 'our client has a new connection', timeoutMillis: 4_000, intervalMillis: 10 });
      expect(await call(older)).to.include({ code: 0, remark: 'here' });
      expect(relay.connections).to.equal(3);
      await java().release();
      expect((await blocked).code).to.equal(0);
    });
  });
}
