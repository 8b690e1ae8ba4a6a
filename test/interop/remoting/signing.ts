import { AclClientRpcHook, AclServerRpcHook, RemotingClient, RemotingCommand, RemotingServer } from '@rmqns/remoting';
import type { ApacheVersion } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Code, type JavaRemoting, type JavaRequest, type JavaServer } from './java-remoting.js';
import { serveAsJava } from './serve-as-java.js';

const account = { accessKey: 'RocketMQ', secretKey: '12345678' };
const header = { brokerAddr: '10.0.0.1:10911', brokerId: 0, brokerName: 'broker-ü', clusterName: 'DefaultCluster' };

/** What is signed, and whether a verifier takes it for right when Java's client of a release signed it. */
const cases: readonly [
  name: string,
  request: Omit<JavaRequest, 'code'>,
  isRight: (version: ApacheVersion) => boolean,
][] = [
  ['a header', { header }, () => true],
  ['a header and a body', { header, body: 'BODY ü' }, () => true],
  ['a binary header and a body', { header, body: 'BODY', serialize: 'ROCKETMQ' }, () => true],
  ['nothing but a body', { body: 'BODY' }, () => true],
  // 4.7.1 signs no fields but those of a header class, and verifiers look at all.
  ['fields of no header class', { header, extFields: { zzz: 'Z', Aaa: 'A' } }, (version) => version !== '4.7.1'],
  // Verifiers of 4.x leave it out, but 4.9.7 signs it; that of 5.3.3 goes by the caller's release.
  ['_UNIQUE_KEY_QUERY', { extFields: { _UNIQUE_KEY_QUERY: 'true' } }, (version) => version !== '4.9.7'],
];

/** Signed requests between our remoting and Java's; the verifier in Java is a broker's. */
export function describeSigning(java: () => JavaRemoting, version: ApacheVersion): void {
  describe('with signed requests', () => {
    let ours: RemotingServer;
    let theirs: JavaServer;

    before(async () => {
      ours = new RemotingServer();
      serveAsJava(ours);
      const generation = version === '5.3.3' ? '5.3.3' : '4.x';
      const secretOf = (accessKey: string): string | undefined =>
        accessKey === account.accessKey ? account.secretKey : undefined;
      ours.registerRpcHook(new AclServerRpcHook({ secretOf, generation }));
      await ours.start();
      theirs = await java().server({ verify: account });
    });

    after(async () => {
      theirs?.[Symbol.dispose]();
      await ours?.close();
    });

    for (const securityToken of [undefined, 'tök']) {
      const credentials = { ...account, ...(securityToken === undefined ? {} : { securityToken }) };
      const withToken = securityToken === undefined ? '' : ', with a security token';

      for (const [name, request, isRight] of cases) {
        it(`our verifier and Java's judge alike what Java's client signs: ${name}${withToken}`, async () => {
          using client = await java().client({ credentials });
          const byOurs = await client.invokeSync(ours.address, { ...request, code: Code.ECHO });
          const byTheirs = await client.invokeSync(theirs.address, { ...request, code: Code.ECHO });
          expect([byOurs.code === 0, byTheirs.code === 0]).to.deep.equal([isRight(version), isRight(version)]);
        });
      }

      it(`Java's verifier takes what our client signs for right${withToken}`, async () => {
        await using client = new RemotingClient({ version: java().ordinal });
        client.registerRpcHook(new AclClientRpcHook(credentials));
        for (const [name, { serialize, body, ...fields }] of cases.slice(0, -1)) {
          const extFields = { ...fields.extFields };
          for (const [key, value] of Object.entries(fields.header ?? {})) extFields[key] = String(value);
          const command = RemotingCommand.request(Code.ECHO, {
            extFields,
            body: body === undefined ? undefined : Buffer.from(body),
            serializeType: serialize === 'ROCKETMQ' ? 1 : 0,
          });
          const answer = await client.invokeSync(theirs.address, command);
          expect(answer.code, `${name}: ${answer.remark}`).to.equal(0);
        }
      });
    }

    it('signs the same text as Java does', async () => {
      await using client = new RemotingClient();
      client.registerRpcHook(new AclClientRpcHook(account));
      const extFields = Object.fromEntries(Object.entries(header).map(([key, value]) => [key, String(value)]));
      const body = Buffer.from('BODY ü');
      await using open = new RemotingServer();
      serveAsJava(open);
      await open.start();
      using javaClient = await java().client({ credentials: account });
      const byOurs = await client.invokeSync(open.address, RemotingCommand.request(Code.ECHO, { extFields, body }));
      const byTheirs = await javaClient.invokeSync(open.address, { code: Code.ECHO, header, body: 'BODY ü' });
      expect({ ...byOurs.extFields }).to.deep.equal(byTheirs.extFields);
      expect(byOurs.extFields?.['Signature']).to.have.lengthOf(28);
    });

    it('refuses, as Java does, a wrong secret and a request that is not signed', async () => {
      for (const credentials of [
        { ...account, secretKey: '87654321' },
        { ...account, accessKey: 'stranger' },
        undefined,
      ]) {
        using javaClient = await java().client(credentials === undefined ? {} : { credentials });
        const byOurs = await javaClient.invokeSync(ours.address, { code: Code.ECHO, header });
        expect(byOurs.code).to.equal(16);
        expect((await javaClient.invokeSync(theirs.address, { code: Code.ECHO, header })).code).to.equal(1);
        await using client = new RemotingClient();
        if (credentials !== undefined) client.registerRpcHook(new AclClientRpcHook(credentials));
        const request = RemotingCommand.request(Code.ECHO, { extFields: { brokerName: 'b' } });
        expect((await client.invokeSync(theirs.address, request)).code).to.equal(1);
      }
    });
  });
}
