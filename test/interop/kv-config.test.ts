import { join } from 'node:path';
import {
  apacheVersions,
  canonicalJson,
  NameServerProcess,
  parseLenientJson,
  TemporaryDirectory,
  useApache,
  WireClient,
} from '@rmqns/test-kit';
import { expect } from 'chai';

const PUT_KV_CONFIG = 100;
const DELETE_KV_CONFIG = 102;
const GET_KVLIST_BY_NAMESPACE = 219;

const namespaces = ['ORDER_TOPIC_CONFIG', 'EMPTY', 'NEVER', 'ключ "\\ ', '__proto__', 'MORE'];

/** What a server tells of each namespace: its table, or the code that says there is none. */
async function tables(port: number): Promise<Record<string, string>> {
  await using client = await WireClient.connect(port);
  const found: [string, string][] = [];
  for (const namespace of namespaces) {
    const { header, body } = await client.call({ code: GET_KVLIST_BY_NAMESPACE, extFields: { namespace } });
    found.push([
      `namespace ${namespace}`,
      header.code === 0 ? JSON.stringify(canonicalJson(parseLenientJson(body.toString('utf8')))) : String(header.code),
    ]);
  }
  return Object.fromEntries(found);
}

async function put(port: number, ...entries: readonly (readonly [string, string, string])[]): Promise<void> {
  await using client = await WireClient.connect(port);
  for (const [namespace, key, value] of entries) {
    const { header } = await client.call({ code: PUT_KV_CONFIG, extFields: { namespace, key, value } });
    expect(header.code).to.equal(0);
  }
}

async function remove(port: number, namespace: string, key: string): Promise<void> {
  await using client = await WireClient.connect(port);
  await client.call({ code: DELETE_KV_CONFIG, extFields: { namespace, key } });
}

for (const version of apacheVersions) {
  describe(`the KV file of a ${version} name server and of ours`, () => {
    const apache = useApache(version);
    let directory: TemporaryDirectory;

    before(async () => {
      directory = await TemporaryDirectory.create();
    });
    after(async () => {
      await directory?.[Symbol.asyncDispose]();
    });

    it('is read by the other, after one and the other has changed it', async () => {
      const kvConfigPath = join(directory.path, 'kv', 'kvConfig.json');
      const theirs = await apache.startNameServer(version, { kvConfigPath });
      await put(
        theirs.port,
        ['ORDER_TOPIC_CONFIG', 'T1', 'broker-a:4;broker-b:8'],
        ['EMPTY', 'k', 'v'],
        ['ключ "\\ ', "it's\n\t{}", 'значение \u{1F600} \u2028 <&>'],
        ['__proto__', 'constructor', ''],
      );
      await remove(theirs.port, 'EMPTY', 'k');
      const told = await tables(theirs.port);
      expect(told).to.include({ 'namespace EMPTY': '{"table":{}}', 'namespace NEVER': '22' });
      await theirs.process.stop();

      const ours = await NameServerProcess.start({ settings: { kvConfigPath } });
      try {
        expect(await tables(ours.port)).to.deep.equal(told);
        await put(ours.port, ['ORDER_TOPIC_CONFIG', 'T2', 'broker-c:1'], ['MORE', 'ä"\\\n', '\u0001 ы']);
        const toldByOurs = await tables(ours.port);
        await ours.stop();
        const again = await apache.startNameServer(version, { kvConfigPath });
        expect(await tables(again.port)).to.deep.equal(toldByOurs);
        await put(again.port, ['MORE', 'k', 'v']);
        await again.process.stop();
      } finally {
        await ours[Symbol.asyncDispose]();
      }
      const last = await NameServerProcess.start({ settings: { kvConfigPath } });
      try {
        expect((await tables(last.port))['namespace MORE']).to.include('"k":"v"');
      } finally {
        await last[Symbol.asyncDispose]();
      }
    });
  });
}
