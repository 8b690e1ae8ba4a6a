import { createHash } from 'node:crypto';
import { type Channel, type RemotingCommand, RemotingServer, SerializeType } from '@rmqns/remoting';
import type { ApacheVersion } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Code, type JavaClient, JavaError, type JavaRemoting, madeUpBody } from './java-remoting.js';
import { echo, serveAsJava } from './serve-as-java.js';

const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** What differs between releases shows at a timeout; it is short, so that suites that wait for it are. */
const SHORT_MILLIS = 500;

/** Java's `NettyRemotingClient` at a server of ours. */
export function describeJavaClient(java: () => JavaRemoting, version: ApacheVersion): void {
  describe("Java's client at our server", () => {
    let server: RemotingServer;
    let client: JavaClient;

    before(async () => {
      client = await java().client();
    });

    after(() => {
      client?.[Symbol.dispose]();
    });

    beforeEach(async () => {
      server = new RemotingServer();
      serveAsJava(server);
      await server.start();
    });

    afterEach(async () => {
      await server?.destroy();
    });

    for (const serialize of ['JSON', 'ROCKETMQ'] as const) {
      const request = {
        code: Code.ECHO,
        extFields: { name: 'zoë', emoji: '😀', zero: '0' },
        remark: 'a "remark" — ünïcode 😀',
        body: 'body',
        serialize,
      };

      it(`gets its answer in ${serialize}, sync and async`, async () => {
        for (const answer of [
          await client.invokeSync(server.address, request),
          await client.invokeAsync(server.address, request),
        ]) {
          expect(answer).to.include({
            code: 0,
            flag: 1,
            serialize,
            remark: request.remark,
            body: 'body',
            language: 'JAVA',
          });
          expect(answer.extFields).to.deep.equal(request.extFields);
        }
      });

      it(`sends oneway in ${serialize}, and gets no answer`, async () => {
        const arrived = new Promise<RemotingCommand>((resolve) => {
          server.registerProcessor(Code.ECHO, {
            processRequest: (_ctx, command) => {
              resolve(command);
              return echo(command);
            },
          });
        });
        await client.invokeOneway(server.address, request);
        const command = await arrived;
        expect(command.isOneway).to.equal(true);
        expect(command.version).to.equal(java().ordinal);
        expect(command.serializeType).to.equal(SerializeType[serialize]);
        expect(command.remark).to.equal(request.remark);
        expect({ ...command.extFields }).to.deep.equal(request.extFields);
        expect(Buffer.from(command.body ?? []).toString()).to.equal('body');
      });

      it(`is called back by us in ${serialize}, with an answer and without`, async () => {
        const answer = await client.invokeSync(server.address, { ...request, code: Code.CALL_BACK });
        expect(answer).to.include({ code: 0, serialize, remark: request.remark, body: 'body' });
        const pushed = java().nextOneway();
        await client.invokeSync(server.address, { ...request, code: Code.CALL_BACK_ONEWAY });
        expect(await pushed).to.include({ code: Code.ECHO, serialize, remark: request.remark, body: 'body' });
      });

      it(`hears of every refusal in ${serialize}`, async () => {
        const refusals: [code: number, responseCode: number, remark: string][] = [
          [Code.FAIL, 17, 'no such topic'],
          [Code.THROW, 1, 'TypeError: boom'],
          [Code.REJECT, 2, '[REJECTREQUEST]system busy, start flow control for a while'],
          [Code.NOBODY, 3, ' request type 9999 not supported'],
        ];
        for (const [code, responseCode, remark] of refusals) {
          const answer = await client.invokeSync(server.address, { code, serialize });
          expect(answer).to.include({ code: responseCode, remark, serialize });
        }
      });
    }

    it('hears that a full queue is busy', async () => {
      let goOn = (): void => {};
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const processRequest = async (_ctx: unknown, request: RemotingCommand): Promise<RemotingCommand> => {
        await gate;
        return echo(request);
      };
      server.registerProcessor(Code.BLOCK, { processRequest }, { concurrency: 1, queueCapacity: 1 });
      const calls = [1, 2, 3].map(() => client.invokeSync(server.address, { code: Code.BLOCK }));
      const refused = await Promise.race(calls);
      expect(refused).to.include({ code: 2, remark: '[OVERLOAD]system busy, start flow control for a while' });
      goOn();
      const codes = (await Promise.all(calls)).map(({ code }) => code);
      expect(codes.sort()).to.deep.equal([0, 0, 2]);
    });

    it('sends and gets a body that fills the largest frame', async () => {
      const bodyBytes = MAX_FRAME_BYTES - 1024;
      const answer = await client.invokeSync(server.address, { code: Code.ECHO, bodyBytes }, 20_000);
      const bodySha1 = createHash('sha1').update(madeUpBody(bodyBytes)).digest('hex');
      expect(answer).to.include({ code: 0, bodyBytes, bodySha1 });
    });

    it('gets answers to many calls at once, each its own', async () => {
      const calls = Array.from({ length: 200 }, (_, i) =>
        client[i % 2 === 0 ? 'invokeSync' : 'invokeAsync'](server.address, { code: Code.ECHO, body: `call ${i}` }),
      );
      const bodies = (await Promise.all(calls)).map(({ body }) => body);
      expect(bodies).to.deep.equal(bodies.map((_, i) => `call ${i}`));
      expect(server.channels.size).to.equal(1);
    });

    it('waits out its timeout for a processor that does not answer, and calls again', async () => {
      let connects = 0;
      server.on('connect', () => {
        connects += 1;
      });
      const error = await failure(client.invokeSync(server.address, { code: Code.SILENT }, SHORT_MILLIS));
      expect(error.className).to.equal('RemotingTimeoutException');
      // 5.3.3 may still find the connection that it is about to close.
      const again = client.invokeSync(server.address, { code: Code.ECHO });
      const answer = await again.catch(() => client.invokeSync(server.address, { code: Code.ECHO }));
      expect(answer.code).to.equal(0);
      expect(connects).to.equal(version === '4.7.1' ? 1 : 2);
    });

    it('takes a late answer to an asynchronous call for one in time', async () => {
      const asked = new Promise<() => void>((resolve) => {
        server.registerProcessor(Code.BLOCK, {
          processRequest: (_ctx, request) =>
            new Promise((release) => {
              resolve(() => release(echo(request)));
            }),
        });
      });
      const call = client.invokeAsync(server.address, { code: Code.BLOCK }, SHORT_MILLIS);
      const release = await asked;
      // Java's own timeout says when ours may answer late.
      const error = await failure(client.invokeSync(server.address, { code: Code.SILENT }, SHORT_MILLIS + 100));
      expect(error.className).to.equal('RemotingTimeoutException');
      release();
      const outcome = await call.catch((thrown: unknown) => thrown);
      // Where the timeout above closed the connection, the answer has nothing to come over.
      if (version === '4.7.1') expect(outcome).to.include({ code: 0 });
      else expect(outcome).to.be.instanceOf(JavaError);
    });

    it('hears of a connection that we close while it waits', async () => {
      server.registerProcessor(Code.SILENT, {
        processRequest: ({ channel }: { channel: Channel }) => {
          void channel.close();
          return undefined;
        },
      });
      const began = performance.now();
      const error = await failure(client.invokeSync(server.address, { code: Code.SILENT }, 2 * SHORT_MILLIS));
      const tookMillis = performance.now() - began;
      if (version === '5.3.3') {
        expect(error.className).to.equal('RemotingSendRequestException');
        expect(tookMillis).to.be.below(2 * SHORT_MILLIS);
      } else {
        expect(error.className).to.equal('RemotingTimeoutException');
      }
    });

    it('loses only its own connection by a frame above the limit', async () => {
      using other = await java().client();
      const closed = new Promise<Channel>((resolve) => server.on('close', resolve));
      expect((await other.invokeSync(server.address, { code: Code.ECHO })).code).to.equal(0);
      await failure(client.invokeSync(server.address, { code: Code.ECHO, bodyBytes: MAX_FRAME_BYTES }, SHORT_MILLIS));
      await (await closed).closed;
      expect(server.channels.size).to.equal(1);
      expect((await other.invokeSync(server.address, { code: Code.ECHO })).code).to.equal(0);
      expect((await client.invokeSync(server.address, { code: Code.ECHO })).code).to.equal(0);
    });
  });
}

/** The error that a call of Java's ends with. */
async function failure(call: Promise<unknown>): Promise<JavaError> {
  const outcome = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(outcome instanceof JavaError)) throw new Error(`the call did not fail in Java: ${outcome}`);
  return outcome;
}
