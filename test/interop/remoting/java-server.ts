import {
  bytes,
  defineCommand,
  RemotingClient,
  RemotingCommand,
  RemotingError,
  SerializeType,
  t,
} from '@rmqns/remoting';
import type { ApacheVersion } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Code, type JavaRemoting, type JavaServer, madeUpBody } from './java-remoting.js';
import { echo } from './serve-as-java.js';

const MAX_FRAME_BYTES = 16 * 1024 * 1024;

const Echo = defineCommand({
  code: Code.ECHO,
  name: 'ECHO',
  request: { name: t.string(), count: t.int(), offset: t.long() },
  response: { name: t.string(), count: t.int(), offset: t.long() },
  requestBody: bytes(),
  responseBody: bytes(),
});

/** A client of ours at Java's `NettyRemotingServer`. */
export function describeJavaServer(java: () => JavaRemoting, version: ApacheVersion): void {
  describe("our client at Java's server", () => {
    let server: JavaServer;
    let client: RemotingClient;

    before(async () => {
      server = await java().server();
    });

    after(() => {
      server?.[Symbol.dispose]();
    });

    beforeEach(() => {
      client = new RemotingClient({ timeoutMillis: 5_000 });
      client.registerProcessor(Code.ECHO, { processRequest: (_ctx, request) => echo(request) });
    });

    afterEach(async () => {
      await client.destroy();
    });

    for (const serialize of ['JSON', 'ROCKETMQ'] as const) {
      const serializeType = SerializeType[serialize];
      /** 4.9.7 answers in the format of the request, the others in that of their process. */
      const answered = version === '4.9.7' ? serializeType : SerializeType.JSON;
      const init = {
        extFields: { name: 'zoë', emoji: '😀' },
        remark: 'a "remark" — ünïcode 😀',
        body: Buffer.from('body'),
        serializeType,
      };

      it(`gets its answer to ${serialize}, sync and async`, async () => {
        const request = RemotingCommand.request(Code.ECHO, init);
        const viaCallback = new Promise<RemotingCommand | undefined>((resolve, reject) => {
          client.invokeAsync(server.address, request, 5_000, (error, response) =>
            error === undefined ? resolve(response) : reject(error),
          );
        });
        for (const answer of [await client.invokeSync(server.address, request), await viaCallback]) {
          expect(answer?.code).to.equal(0);
          expect(answer?.serializeType).to.equal(answered);
          expect(answer?.version).to.equal(java().ordinal);
          expect(answer?.language).to.equal('JAVA');
          expect(answer?.remark).to.equal(init.remark);
          expect({ ...answer?.extFields }).to.deep.equal(init.extFields);
          expect(Buffer.from(answer?.body ?? []).toString()).to.equal('body');
        }
      });

      it(`sends oneway in ${serialize}`, async () => {
        const arrived = java().nextOneway();
        await client.invokeOneway(server.address, RemotingCommand.request(Code.ECHO, { ...init, version: 355 }));
        expect(await arrived).to.include({ version: 355, serialize, remark: init.remark, body: 'body' });
        expect((await arrived).extFields).to.deep.equal(init.extFields);
      });

      it(`is called back by it in ${serialize}, with an answer and without`, async () => {
        const answer = await client.invokeSync(server.address, RemotingCommand.request(Code.CALL_BACK, init));
        expect(answer).to.include({ code: 0, remark: init.remark });
        expect(Buffer.from(answer.body ?? []).toString()).to.equal('body');
        const pushed = new Promise<RemotingCommand>((resolve) => {
          client.registerProcessor(Code.ECHO, {
            processRequest: (_ctx, request) => {
              resolve(request);
              return echo(request);
            },
          });
        });
        await client.invokeSync(server.address, RemotingCommand.request(Code.CALL_BACK_ONEWAY, init));
        expect(await pushed).to.include({ isOneway: true, serializeType, remark: init.remark });
      });
    }

    it('is served whatever language it says, also one that the release does not know', async () => {
      for (const language of ['OTHER', 'RUST', 'NODE_JS'] as const) {
        await using speaker = new RemotingClient({ language });
        for (const serializeType of [SerializeType.JSON, SerializeType.ROCKETMQ]) {
          const request = RemotingCommand.request(Code.ECHO, { serializeType, remark: language });
          expect(await speaker.invokeSync(server.address, request)).to.include({ code: 0, remark: language });
        }
      }
    });

    it('makes typed calls', async () => {
      const header = { name: 'Ada', count: -7, offset: 9_007_199_254_740_993n };
      const answer = await client.call(server.address, Echo, header, { body: Buffer.from([0, 255]) });
      expect(answer.header).to.deep.equal(header);
      expect([...(answer.body ?? [])]).to.deep.equal([0, 255]);
    });

    it('hears of every refusal', async () => {
      const refusals: [code: number, responseCode: number, remark: RegExp][] = [
        [Code.FAIL, 17, /^no such topic$/],
        [Code.THROW, 1, /^java\.lang\.IllegalStateException: boom, RemotingPeer\$Processor\.processRequest/],
        [Code.REJECT, 2, /^\[REJECTREQUEST\]system busy, start flow control for a while$/],
        [Code.NOBODY, 3, /^ request type 9999 not supported$/],
      ];
      for (const [code, responseCode, remark] of refusals) {
        const answer = await client.invokeSync(server.address, RemotingCommand.request(code));
        expect(answer.code).to.equal(responseCode);
        expect(answer.remark).to.match(remark);
      }
    });

    it('hears that a full pool is busy', async () => {
      const calls = [1, 2, 3].map(() => client.invokeSync(server.address, RemotingCommand.request(Code.BLOCK)));
      const refused = await Promise.race(calls);
      expect(refused).to.include({ code: 2, remark: '[OVERLOAD]system busy, start flow control for a while' });
      await java().release();
      await java().release();
      const codes = (await Promise.all(calls)).map(({ code }) => code);
      expect(codes.sort()).to.deep.equal([0, 0, 2]);
    });

    it('sends and gets a body that fills the largest frame', async () => {
      const body = madeUpBody(MAX_FRAME_BYTES - 1024);
      const answer = await client.invokeSync(server.address, RemotingCommand.request(Code.ECHO, { body }), 20_000);
      expect(Buffer.compare(answer.body ?? Buffer.alloc(0), body)).to.equal(0);
    });

    it('gets answers to many calls at once, each its own', async () => {
      const calls = Array.from({ length: 1_000 }, (_, i) =>
        client.invokeSync(server.address, RemotingCommand.request(Code.ECHO, { remark: `call ${i}` })),
      );
      const remarks = (await Promise.all(calls)).map(({ remark }) => remark);
      expect(remarks).to.deep.equal(remarks.map((_, i) => `call ${i}`));
    });

    it('is not confused by an answer to a oneway request that nobody serves', async () => {
      await client.invokeOneway(server.address, RemotingCommand.request(Code.NOBODY));
      // The answers of one connection to codes without a processor come from its own thread, in order.
      expect((await client.invokeSync(server.address, RemotingCommand.request(Code.NOBODY))).code).to.equal(3);
      expect(client.counters.lateResponses).to.equal(version === '5.3.3' ? 0 : 1);
    });

    it('ends a call that gets no answer at its timeout, and calls again over a new connection', async () => {
      const error = await failure(client.invokeSync(server.address, RemotingCommand.request(Code.SILENT), 200));
      expect(error.code).to.equal('TIMEOUT');
      expect((await client.invokeSync(server.address, RemotingCommand.request(Code.ECHO))).code).to.equal(0);
    });

    it('ends its calls at once when the server goes', async () => {
      const leaving = await java().server();
      const call = failure(client.invokeSync(leaving.address, RemotingCommand.request(Code.SILENT), 30_000));
      // The answer to a later request says that the first was read.
      await client.invokeSync(leaving.address, RemotingCommand.request(Code.ECHO));
      await leaving.shutdown();
      expect((await call).code).to.equal('CONNECTION_CLOSED');
      const refused = await failure(client.invokeSync(leaving.address, RemotingCommand.request(Code.ECHO)));
      expect(refused.code).to.equal('CONNECT_FAILED');
    });
  });
}

/** The error that a call of ours ends with. */
async function failure(call: Promise<unknown>): Promise<RemotingError> {
  const outcome = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!RemotingError.is(outcome)) throw new Error(`the call did not fail: ${outcome}`);
  return outcome;
}
