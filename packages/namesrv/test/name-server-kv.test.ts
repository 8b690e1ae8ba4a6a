import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RequestCode } from '@rmqns/protocol';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { createNameServer } from '../src/name-server.js';
import { nameServerFixture, turns } from './name-server-fixture.js';

describe('a name server', () => {
  const { cleanUps, start, connect, ask, register, text, route } = nameServerFixture();

  describe('KV configuration', () => {
    let directory = '';
    let path = '';
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'rmqns-kv-'));
      path = join(directory, 'namesrv', 'kvConfig.json');
      cleanUps.push(() => rm(directory, { recursive: true }));
    });
    const entry = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T1', value: 'broker-a:4' };

    it('is on disk when it is answered, in Apache’s format, for its owner alone, and there after a restart', async () => {
      const server = await start({ kvConfigPath: path });
      const client = connect();
      expect((await ask(client, server, RequestCode.PUT_KV_CONFIG, entry)).code).to.equal(0);
      expect(await readFile(path, 'utf8')).to.equal('{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"broker-a:4"}}}');
      expect(((await stat(path)).mode & 0o777).toString(8)).to.equal('600');
      await server.close();
      const again = await start({ kvConfigPath: path });
      const response = await ask(client, again, RequestCode.GET_KV_CONFIG, entry);
      expect([response.code, { ...response.extFields }]).to.deep.equal([0, { value: 'broker-a:4' }]);
    });

    it('tells brokers the order topics: no body without the namespace, an empty table when it is empty', async () => {
      const server = await start();
      const client = connect();
      expect((await register(client, server)).body).to.equal(undefined);
      await ask(client, server, RequestCode.PUT_KV_CONFIG, entry);
      expect(text(await register(client, server))).to.equal('{"table":{"T1":"broker-a:4"}}');
      await ask(client, server, RequestCode.DELETE_KV_CONFIG, entry);
      expect(text(await register(client, server))).to.equal('{"table":{}}');
    });

    it('shows in routes when order messages are enabled, at once after a change', async () => {
      const server = await start({ orderMessageEnable: true });
      const client = connect();
      await register(client, server);
      expect(text(await route(client, server))).to.not.contain('orderTopicConf');
      await ask(client, server, RequestCode.PUT_KV_CONFIG, entry);
      expect(text(await route(client, server))).to.contain('"orderTopicConf":"broker-a:4"');
      await ask(client, server, RequestCode.PUT_KV_CONFIG, { ...entry, value: 'broker-a:8' });
      expect(text(await route(client, server))).to.contain('"orderTopicConf":"broker-a:8"');
      await ask(client, server, RequestCode.DELETE_KV_CONFIG, entry);
      expect(text(await route(client, server))).to.not.contain('orderTopicConf');
    });

    it('answers what is missing as Apache does', async () => {
      const server = await start();
      const client = connect();
      expect(await ask(client, server, RequestCode.GET_KV_CONFIG, { namespace: 'N', key: 'K' })).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: N Key: K',
      });
      expect(await ask(client, server, RequestCode.GET_KV_CONFIG)).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: null Key: null',
      });
      expect(await ask(client, server, RequestCode.GET_KVLIST_BY_NAMESPACE, { namespace: 'N' })).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: N',
      });
      expect(await ask(client, server, RequestCode.PUT_KV_CONFIG, { namespace: 'N', value: 'V' })).to.deep.include({
        code: 1,
        remark: 'namespace or key is null',
      });
      expect((await ask(client, server, RequestCode.DELETE_KV_CONFIG, { namespace: 'N', key: 'K' })).code).to.equal(0);
    });

    it('is on disk when the server has closed, also when that took longer than requests may take', async () => {
      if (process.platform === 'win32') return;
      const clock = new ManualClock();
      const server = await start({ kvConfigPath: path, serverChannelMaxIdleTimeSeconds: 0 }, clock);
      const client = connect();
      // A pipe in the place of the file holds the write up until somebody writes into it.
      await mkdir(join(directory, 'namesrv'), { recursive: true });
      await promisify(execFile)('mkfifo', [path]);
      const put = ask(client, server, RequestCode.PUT_KV_CONFIG, entry).catch((error: Error) => error);
      await ask(client, server, RequestCode.GET_KV_CONFIG, entry);
      const order: string[] = [];
      const closed = server.close().then(() => order.push('closed'));
      await turns();
      clock.advance(3_000);
      await put;
      await turns();
      order.push('let go');
      await writeFile(path, 'former');
      await closed;
      expect(order).to.deep.equal(['let go', 'closed']);
      expect(await readFile(path, 'utf8')).to.equal('{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"broker-a:4"}}}');
    });

    it('says so when it cannot be written', async () => {
      await writeFile(join(directory, 'namesrv'), 'a file where the directory should be');
      const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, kvConfigPath: path });
      const outcome = await server.start().then(
        async () => {
          cleanUps.push(() => server.close());
          return (await ask(connect(), server, RequestCode.PUT_KV_CONFIG, entry)).remark ?? '';
        },
        (error: Error) => error.message,
      );
      expect(outcome).to.contain(path);
    });

    it('is kept in memory alone where its path is empty', async () => {
      const server = await start({ kvConfigPath: '', configStorePath: '' });
      const client = connect();
      expect((await ask(client, server, RequestCode.PUT_KV_CONFIG, entry)).code).to.equal(0);
      expect((await ask(client, server, RequestCode.GET_KV_CONFIG, entry)).code).to.equal(0);
    });

    it('that cannot be written leaves memory as the file is, and says why', async () => {
      const server = await start({ kvConfigPath: path });
      const client = connect();
      await ask(client, server, RequestCode.PUT_KV_CONFIG, entry);
      await chmod(path, 0o400);
      const changed = { ...entry, value: 'changed' };
      const refused = await Promise.all([
        ask(client, server, RequestCode.PUT_KV_CONFIG, changed),
        ask(client, server, RequestCode.PUT_KV_CONFIG, { namespace: 'Other', key: 'K', value: 'V' }),
        ask(client, server, RequestCode.DELETE_KV_CONFIG, entry),
      ]);
      for (const { code, remark } of refused)
        expect([code, remark]).to.deep.equal([
          1,
          `cannot write the KV configuration to ${path}: the file is read-only; nothing was changed, make the path writable or set kvConfigPath`,
        ]);
      expect((await ask(client, server, RequestCode.GET_KV_CONFIG, entry)).extFields).to.deep.include({
        value: entry.value,
      });
      expect((await ask(client, server, RequestCode.GET_KVLIST_BY_NAMESPACE, { namespace: 'Other' })).code).to.equal(
        22,
      );
      await chmod(path, 0o600);
      expect((await ask(client, server, RequestCode.PUT_KV_CONFIG, changed)).code).to.equal(0);
    });

    it('that is torn keeps the server from starting, in one sentence', async () => {
      await start({ kvConfigPath: path }).then(async (server) => {
        await ask(connect(), server, RequestCode.PUT_KV_CONFIG, entry);
        await server.close();
      });
      await writeFile(path, '{"configTable":{"ORDER');
      const error = await start({ kvConfigPath: path }).then(
        () => expect.fail('it started'),
        (caught: Error) => caught,
      );
      expect(error).to.deep.include({ code: 'KV_CONFIG_UNREADABLE' });
      expect(error.message).to.contain(path);
    });
  });
});
