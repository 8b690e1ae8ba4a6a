import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseProperties, RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import fc from 'fast-check';
import type { NameServer } from '../src/name-server.js';
import type { NamesrvEvent } from '../src/namesrv-event.js';
import type { NamesrvOptions } from '../src/namesrv-options.js';
import { nameServerFixture } from './name-server-fixture.js';

describe('a name server whose configuration is asked for and changed', () => {
  const { start, connect, ask, text } = nameServerFixture();
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-config-'));
    path = join(directory, 'namesrv.properties');
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  const update = (server: NameServer, body: string | undefined): Promise<RemotingCommand> =>
    connect().invokeSync(
      server.address,
      RemotingCommand.request(RequestCode.UPDATE_NAMESRV_CONFIG, {
        body: body === undefined ? undefined : Buffer.from(body),
      }),
    );
  const outcome = async (server: NameServer, body: string): Promise<unknown[]> => {
    const { code, remark } = await update(server, body);
    return [code, remark];
  };
  const shown = async (server: NameServer): Promise<Record<string, string>> => {
    const lines = text(await ask(connect(), server, RequestCode.GET_NAMESRV_CONFIG)).split('\n');
    expect(lines.pop()).to.equal('');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  };

  it('takes no notice of configBlackList as Apache in 4.x, and does not change it', async () => {
    for (const [profile, expected] of [
      ['4.7.1', 0],
      ['4.9.7', 0],
      ['5.3.3', 16],
    ] as const) {
      const server = await start({ profile, configUpdatePolicy: 'apache', configStorePath: path });
      expect((await update(server, 'configBlackList=x\norderMessageEnable=true\n')).code, profile).to.equal(expected);
      expect(server.options.orderMessageEnable).to.equal(expected === 0);
      expect(server.options.configBlackList).to.equal('configBlackList;configStorePath;kvConfigPath');
      expect((await update(server, 'kvConfigPath=/x\n')).code).to.equal(16);
    }
  });

  it('shows them sorted by key as 5.x does, whatever their values', async () => {
    const keys = ['own', 'own.key', 'own1', 'ownKey'];
    const fileProperties = new Map(keys.toReversed().map((key) => [key, '=']));
    const server = await start({}, undefined, { fileProperties });
    const all = Object.keys(await shown(server));
    expect(all).to.deep.equal(all.toSorted());
    expect(all.filter((key) => key.startsWith('own'))).to.deep.equal(keys);
  });

  it('is changed by whoever runs it whatever configUpdatePolicy says, in what takes effect at once, and in no file', async () => {
    const server = await start({ configUpdatePolicy: 'deny', configStorePath: path });
    const events: NamesrvEvent[] = [];
    server.on('change', (event) => events.push(event));
    server.changeOptions({ enableTopicList: false, waitSecondsForService: 45 });
    expect((await ask(connect(), server, RequestCode.GET_UNIT_TOPIC_LIST)).remark).to.equal('disable');
    expect((await shown(server))['enableTopicList']).to.equal('false');
    expect(events).to.deep.equal([
      {
        type: 'config.changed',
        cause: 'change-options',
        key: 'enableTopicList',
        before: 'true',
        after: 'false',
        revision: 1,
      },
    ]);
    expect(() => server.changeOptions({ enableTopicList: true, listenPort: 1, maxFrameBytes: 2048 })).to.throw(
      'listenPort: does not take effect while the server runs; make another one; maxFrameBytes: does not',
    );
    expect(server.options.enableTopicList).to.equal(false);
    expect(await readFile(path).catch(({ code }: { code: string }) => code)).to.equal('ENOENT');
  });

  it('shows the keys that the release of its profile has, and those of its file', async () => {
    const counts: Record<string, number> = {};
    for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
      const server = await start({
        profile,
        rocketmqHome: '/opt',
        kvConfigPath: join(directory, 'kv'),
        configStorePath: path,
      });
      counts[profile] = Object.keys(await shown(server)).length;
    }
    expect(counts).to.deep.equal({ '4.7.1': 17, '4.9.7': 20, '5.3.3': 40 });
    const fileProperties = new Map([
      ['defaultHeartbeatTimeoutMillis', '60000'],
      ['ownKey', 'own'],
    ]);
    const server = await start({ defaultHeartbeatTimeoutMillis: 60_000 }, undefined, { fileProperties });
    expect(await shown(server)).to.include({
      defaultHeartbeatTimeoutMillis: '60000',
      ownKey: 'own',
      orderMessageEnable: 'false',
    });
    const keys = Object.keys(await shown(server));
    expect(keys).to.deep.equal([...keys].sort());
  });

  it('gives 4.7.1 the socket buffers that it has', async () => {
    expect(await shown(await start({ profile: '4.7.1' }))).to.include({ serverSocketSndBufSize: '65535' });
  });

  describe('by the policy safe', () => {
    it('changes what is harmless at once, tells of it, and writes it into its file, all else kept', async () => {
      await writeFile(path, '# mine\nlistenPort=0\norderMessageEnable = false\n');
      const server = await start({ configStorePath: path });
      const events: NamesrvEvent[] = [];
      server.on('change', (event) => events.push(event));
      expect(await outcome(server, 'orderMessageEnable=TRUE\nwaitSecondsForService=10')).to.deep.equal([0, undefined]);
      expect(server.options).to.include({ orderMessageEnable: true, waitSecondsForService: 10 });
      expect(await readFile(path, 'utf8')).to.equal(
        '# mine\nlistenPort=0\norderMessageEnable=true\nwaitSecondsForService=10\n',
      );
      expect(await readFile(`${path}.bak`, 'utf8')).to.equal('# mine\nlistenPort=0\norderMessageEnable = false\n');
      expect(await shown(server)).to.include({ orderMessageEnable: 'true' });
      expect(
        events.map((event) => (event.type === 'config.changed' ? [event.key, event.before, event.after] : [])),
      ).to.deep.equal([
        ['orderMessageEnable', 'false', 'true'],
        ['waitSecondsForService', '45', '10'],
      ]);
    });

    it('refuses all of an update with one key that is not, and says which', async () => {
      const server = await start({ configStorePath: path });
      for (const key of ['listenPort', 'kvConfigPath', 'clusterTest', 'noSuchKey', 'configUpdatePolicy', '__proto__']) {
        expect(await outcome(server, `orderMessageEnable=true\n${key}=1`), key).to.deep.equal([
          16,
          `Can not update config in black list. ${key} may not be changed by request (configUpdatePolicy=safe); edit the file of mqnamesrv and restart it`,
        ]);
      }
      expect(server.options.orderMessageEnable).to.equal(false);
    });

    it('refuses a value that is none', async () => {
      const server = await start();
      expect(await outcome(server, 'enableTopicList=yes')).to.deep.equal([
        1,
        'enableTopicList: "yes" is neither true nor false',
      ]);
      expect(await outcome(server, 'waitSecondsForService=soon')).to.deep.equal([
        1,
        'waitSecondsForService: "soon" is no whole number',
      ]);
    });
  });

  it('changes nothing by the policy deny', async () => {
    const server = await start({ configUpdatePolicy: 'deny' });
    expect((await update(server, 'orderMessageEnable=true')).code).to.equal(16);
    expect((await update(server, undefined)).code).to.equal(0);
    expect(await shown(server)).to.include({ orderMessageEnable: 'false' });
  });

  describe('by the policy apache', () => {
    const apache = (options: NamesrvOptions = {}): NamesrvOptions => ({ configUpdatePolicy: 'apache', ...options });

    it('reads booleans as Java does: with a blank after it TRUE is false', async () => {
      const server = await start(apache({ orderMessageEnable: true }));
      expect((await update(server, 'orderMessageEnable= TRUE \n')).code).to.equal(0);
      expect(server.options.orderMessageEnable).to.equal(false);
      expect((await update(server, 'orderMessageEnable= TRUE\n')).code).to.equal(0);
      expect(server.options.orderMessageEnable).to.equal(true);
    });

    it('takes every key of the release, and passes over others and over what does not parse', async () => {
      const server = await start(apache());
      const { listenPort } = server.options;
      expect(
        await outcome(server, 'productEnvName = test env\nlistenPort=abc\nclusterTest=yes\nnoSuchKey=1'),
      ).to.deep.equal([0, undefined]);
      expect(await shown(server)).to.include({
        productEnvName: 'test env',
        listenPort: String(listenPort),
        clusterTest: 'false',
      });
      expect(await shown(server)).to.not.have.property('noSuchKey');
      expect(await outcome(server, 'listenPort=1')).to.deep.equal([0, undefined]);
      expect(await shown(server)).to.include({ listenPort: '1' });
    });

    it('changes a key that only the start-up file knows', async () => {
      const server = await start(apache({ configStorePath: path }), undefined, {
        fileProperties: new Map([['own', '1']]),
      });
      await update(server, 'own=2');
      expect(await shown(server)).to.include({ own: '2' });
      expect(await readFile(path, 'utf8')).to.equal('own=2\n');
    });

    it('refuses paths in the words of each release, and in 4.7.1, too', async () => {
      for (const [profile, remark] of [
        ['4.7.1', 'Can not update config in black list.'],
        ['4.9.7', 'Can not update config path'],
        ['5.3.3', 'Can not update config in black list.'],
      ] as const) {
        const server = await start(apache({ profile }));
        for (const key of ['kvConfigPath', 'configStorePath', 'rocketmqHome']) {
          expect(await outcome(server, `${key}=/x`)).to.deep.equal([16, remark]);
        }
      }
    });

    it('heeds the black list of the operator', async () => {
      const server = await start(apache({ configBlackList: 'listenPort;clusterTest' }));
      expect((await update(server, 'clusterTest=true')).code).to.equal(16);
      expect((await update(server, 'productEnvName=x')).code).to.equal(0);
    });

    it('refuses a value with which the next start would fail', async () => {
      const server = await start(apache());
      const [code, remark] = await outcome(server, 'listenPort=70000');
      expect([code, remark]).to.deep.equal([1, 'listenPort: "70000" is not between 0 and 65535']);
      expect((await update(server, 'enableControllerInNamesrv=true')).code).to.equal(1);
    });
  });

  it('answers text that is no properties as Apache does, and an update without a body with success', async () => {
    const server = await start();
    expect(await outcome(server, 'a=\\u12')).to.deep.equal([1, 'string2Properties error']);
    expect((await update(server, undefined)).code).to.equal(0);
  });

  it('says so when the file cannot be written; the change holds', async () => {
    await writeFile(join(directory, 'file'), '');
    const server = await start({ configStorePath: join(directory, 'file', 'namesrv.properties') });
    const [code, remark] = await outcome(server, 'orderMessageEnable=true');
    expect(code).to.equal(1);
    expect(remark).to.match(/cannot write the configuration to .*; what was changed holds until the next start/);
    expect(server.options.orderMessageEnable).to.equal(true);
  });

  it('says so when the file is read-only, and leaves it alone', async () => {
    await writeFile(path, 'own=1\n', { mode: 0o444 });
    const server = await start({ configStorePath: path });
    const [code, remark] = await outcome(server, 'orderMessageEnable=true');
    expect(code).to.equal(1);
    expect(remark).to.include(
      `cannot write the configuration to ${path}: the file is read-only; what was changed holds`,
    );
    expect(await readFile(path, 'utf8')).to.equal('own=1\n');
  });

  it('leaves the file its mode', async () => {
    await writeFile(path, 'own=1\n');
    await chmod(path, 0o664);
    const server = await start({ configStorePath: path });
    await update(server, 'orderMessageEnable=true');
    expect([(await stat(path)).mode & 0o777, (await stat(`${path}.bak`)).mode & 0o777]).to.deep.equal([0o664, 0o664]);
  });

  it('refuses an update that is longer than all keys, and names a few of many keys in one line', async () => {
    const server = await start();
    expect(await outcome(server, `#${' '.repeat(65_536)}`)).to.deep.equal([
      1,
      'the update has 65537 bytes; more than 65536 are not taken',
    ]);
    const [code, remark] = await outcome(server, 'a=1\nb=1\nc=1\nd\\ne=1\nf=1\ng=1\nh=1\n');
    expect(code).to.equal(16);
    expect(remark).to.include(' a, b, c, "d\\ne", f and 2 more may not be changed');
  });

  it('takes no harm from any body, and afterwards the file reads as the options are', async () => {
    await writeFile(path, '# ours\norderMessageEnable=false\n');
    const server = await start({ configStorePath: path });
    const key = fc.constantFrom(
      'orderMessageEnable',
      'waitSecondsForService',
      'enableTopicList',
      'listenPort',
      '__proto__',
      '',
    );
    const value = fc.oneof(
      fc.constantFrom('true', 'false', '0', '-1', '2147483648', 'TRUE '),
      fc.string({ maxLength: 8 }),
    );
    const line = fc.tuple(key, fc.constantFrom('=', ':', ' ', '\\\n', '='), value).map((parts) => parts.join(''));
    const client = connect();
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(line, { maxLength: 4 }).map((lines) => Buffer.from(lines.join('\n'))),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const before = server.options;
        const request = RemotingCommand.request(RequestCode.UPDATE_NAMESRV_CONFIG, { body: Buffer.from(body) });
        const { code } = await client.invokeSync(server.address, request);
        if (code !== 0) expect(server.options).to.deep.equal(before);
        const text = await readFile(path, 'utf8');
        expect(text).to.match(/^# ours\n/);
        const { entries, problems } = parseProperties(text);
        expect(problems).to.deep.equal([]);
        for (const entry of entries)
          expect(String(server.options[entry.key as 'enableTopicList'])).to.equal(entry.value);
      }),
      { numRuns: 300 },
    );
    expect(Object.keys(server.options)).to.deep.equal(Object.keys((await start()).options));
  });

  it('writes a file of another encoding back in it', async () => {
    await writeFile(path, Buffer.from('# fran\xe7ais\nown=\xe7\n', 'latin1'));
    const server = await start({ configStorePath: path });
    await update(server, 'orderMessageEnable=true');
    expect((await readFile(path)).toString('latin1')).to.equal('# fran\xe7ais\nown=\xe7\norderMessageEnable=true\n');
  });
});
