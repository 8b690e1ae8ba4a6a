import { RemotingCommand, RemotingServer } from '@rmqns/remoting';
import type { ApacheVersion } from '@rmqns/test-kit';
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

    if (knowsGoAway) return;

    it("Java's client is served by our server that closes", async () => {
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
        expect({ code, remark }).to.deep.equal({ code: 0, remark: 'first' });
      }
      release();
      expect(await waiting).to.include({ code: 0, remark: 'first' });
      await closed;
      expect(relay.connections).to.equal(1);
    });
  });
}
