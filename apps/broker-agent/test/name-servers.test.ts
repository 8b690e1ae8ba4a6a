import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatSocketAddress, type Logger, silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { listedNameServers } from '../src/name-server-source.js';
import {
  addressServer,
  addressServerUrl,
  nameServersFile,
  type PolledNameServers,
} from '../src/polled-name-servers.js';
import { ResolvedNameServers } from '../src/resolved-name-servers.js';
import { TurnableNameServers } from './turnable-parts.js';

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('name servers found elsewhere than in a list', () => {
  let clock: ManualClock;
  let lines: string[];
  let logger: Logger;
  let seen: (readonly string[] | undefined)[];
  beforeEach(() => {
    clock = new ManualClock();
    lines = [];
    seen = [];
    const log = (fields: object, message?: string): void => {
      lines.push([message, (fields as { problem?: string }).problem ?? []].flat().join(': '));
    };
    logger = { ...silentLogger, info: log, warn: log };
  });
  afterEach(async () => {
    await turns();
    expect(clock.pendingTimers).to.equal(0);
  });

  describe('an address server', () => {
    it('is asked at the URL that Apache’s programs ask', () => {
      expect(addressServerUrl('jmenv.tbsite.net')).to.equal('http://jmenv.tbsite.net:8080/rocketmq/nsaddr');
      expect(addressServerUrl('h:80', 'nsaddr-unit')).to.equal('http://h:80/rocketmq/nsaddr-unit');
      expect(addressServerUrl('https://h/list')).to.equal('https://h/list');
    });

    it('tells a list in its first line, whose order means nothing; what is none keeps the last one', async () => {
      let answer: readonly [status: number, body: string] = [200, ''];
      const server = createServer((_, response) => response.writeHead(answer[0]).end(answer[1]));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rocketmq/nsaddr`;
      const source = addressServer(url, { everyMillis: 10_000, clock, logger });
      await source.start(() => seen.push(source.current));
      expect([source.name, source.current, source.problem]).to.deep.equal([url, undefined, 'it names no name server']);
      for (const next of [
        [200, '  10.0.0.1:9876; [2001:db8::1]:9876;\r\nnot this:1\n'],
        [200, '[2001:db8::1]:9876;10.0.0.1:9876'],
        [200, ' \n'],
        [500, '10.9.9.9:9876'],
        [200, '10.0.0.1:9876;<html>'],
        [200, '10.0.0.2:9876\n'],
      ] as const) {
        answer = next;
        await source.look();
      }
      expect(seen).to.deep.equal([['10.0.0.1:9876', '[2001:db8::1]:9876'], ['10.0.0.2:9876']]);
      expect(lines).to.deep.equal([
        'cannot tell the name servers: it names no name server',
        'name servers are known again',
        'cannot tell the name servers, the last ones stay: it names no name server',
        'cannot tell the name servers, the last ones stay: it answered 500, not 200',
        'cannot tell the name servers, the last ones stay: "<html>" is no host:port: the port, 0 to 65535, must follow the last colon',
        'name servers are known again',
      ]);
      source.close();
      server.close();
      await once(server, 'close');
    });
  });

  describe('a file', () => {
    let directory: string;
    let path: string;
    let source: PolledNameServers;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
      path = join(directory, 'name-servers');
    });
    afterEach(() => rm(directory, { recursive: true }));

    it('is read again and again; without it the last list stays', async () => {
      source = nameServersFile(path, { everyMillis: 10_000, clock, logger });
      await source.start(() => seen.push(source.current));
      await writeFile(path, '# ours\nns-0:9876   # the first\n\n ns-1:9876;ns-2:9876\n');
      clock.advance(10_000);
      await source.look();
      await rm(path);
      await source.look();
      expect(source.problem).to.equal('there is no such file');
      expect(seen).to.deep.equal([['ns-0:9876', 'ns-1:9876', 'ns-2:9876']]);
      source.close();
    });

    it('is read once at a time, though the disk does not answer', async () => {
      let reads = 0;
      let answer = (_: Buffer): void => {};
      const read = (): Promise<Buffer> => {
        reads += 1;
        return new Promise((resolve) => (answer = resolve));
      };
      source = nameServersFile(path, { everyMillis: 10_000, clock, logger }, read);
      const started = source.start(() => seen.push(source.current));
      clock.advance(3_000);
      await started;
      expect(source.problem).to.equal('no answer within 3000 ms');
      const looked = source.look();
      answer(Buffer.from('ns:9876'));
      await looked;
      expect([source.current, source.problem, reads]).to.deep.equal([['ns:9876'], undefined, 1]);
      source.close();
    });
  });

  describe('DNS', () => {
    it('gives every address of every name, and keeps those of a name that it does not know for a while', async () => {
      const hosts: Record<string, string[] | undefined> = { a: ['10.0.0.1', '2001:db8::1'], b: ['10.0.0.1'] };
      const source = new ResolvedNameServers({
        source: listedNameServers(['a:9876', 'b:9877', '10.0.0.9:9876']),
        lookup: async (host) => {
          const found = hosts[host];
          if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
          return found;
        },
        everyMillis: 10_000,
        clock,
        logger,
      });
      await source.start(() => {});
      const all = ['10.0.0.1:9876', '10.0.0.1:9877', '10.0.0.9:9876', '[2001:db8::1]:9876'];
      expect(source.current).to.deep.equal(all);
      hosts['a'] = undefined;
      await source.look();
      hosts['a'] = [];
      await source.look();
      expect(source.problem).to.equal('a: it has no address');
      expect(source.current).to.deep.equal(all);
      hosts['a'] = ['10.0.0.2'];
      hosts['b'] = ['10.0.0.1', '10.0.0.3'];
      await source.look();
      expect(source.current).to.deep.equal(['10.0.0.1:9877', '10.0.0.2:9876', '10.0.0.3:9877', '10.0.0.9:9876']);
      expect(source.problem).to.equal(undefined);
      expect(lines).to.deep.equal([
        'cannot look up a name server, the addresses it had stay: getaddrinfo ENOTFOUND a',
        'cannot look up a name server, the addresses it had stay: it has no address',
        'the name can be looked up again',
      ]);
      source.close();
    });

    it('waits for no name that hangs, and asks for it once', async () => {
      const names = new TurnableNameServers();
      names.current = ['hangs:9876', 'b:9876'];
      const asked: string[] = [];
      let answer = (_: string[]): void => {};
      const source = new ResolvedNameServers({
        source: names,
        lookup: (host) => {
          asked.push(host);
          return host === 'hangs' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(['10.0.0.2']);
        },
        everyMillis: 10_000,
        clock,
        logger,
      });
      const started = source.start(() => seen.push(source.current));
      await turns();
      expect(seen).to.deep.equal([['10.0.0.2:9876']]);
      clock.advance(5_000);
      await started;
      expect(source.problem).to.equal('hangs: no answer within 5000 ms');
      clock.advance(5_000);
      await turns();
      expect(asked).to.deep.equal(['hangs', 'b', 'b']);
      answer(['10.0.0.1']);
      await turns();
      expect(source.current).to.deep.equal(['10.0.0.1:9876', '10.0.0.2:9876']);
      names.turn(['b:9876']);
      await turns();
      expect(source.current).to.deep.equal(['10.0.0.2:9876']);
      expect(source.problem).to.equal(undefined);
      names.turn(['hangs:9876', 'b:9876']);
      await turns();
      names.turn(['b:9877', 'hangs:9876']);
      await turns();
      expect(source.current).to.deep.equal(['10.0.0.2:9877']);
      source.close();
      names.turn(['c:9876']);
      await turns();
      expect(seen).to.have.length(4);
    });

    it('has, whatever DNS says and whichever names are listed, the last good addresses of each listed name', async () => {
      const hosts = ['a', 'b', 'c'];
      const answer = fc.option(fc.subarray(['10.0.0.1', '10.0.0.2', '::1'], { minLength: 1 }));
      const step = fc.record({ listed: fc.subarray(hosts, { minLength: 1 }), dns: fc.tuple(answer, answer, answer) });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const names = new TurnableNameServers();
          let dns: Record<string, readonly string[] | null> = {};
          const source = new ResolvedNameServers({
            source: names,
            lookup: async (host) => dns[host] ?? Promise.reject(new Error('ENOTFOUND')),
            everyMillis: 10_000,
            clock,
            logger: silentLogger,
          });
          await source.start(() => {});
          const good = new Map<string, readonly string[]>();
          let expected: string[] | undefined;
          for (const { listed, dns: said } of steps) {
            dns = Object.fromEntries(hosts.map((host, index) => [host, said[index] ?? null]));
            names.turn(listed.map((host) => `${host}:9876`));
            await source.look();
            for (const host of hosts) {
              const addresses = dns[host];
              if (!listed.includes(host)) good.delete(host);
              else if (addresses != null) good.set(host, addresses);
            }
            const all = new Set([...good.values()].flat().map((host) => formatSocketAddress(host, 9876)));
            if (all.size > 0) expected = [...all].sort();
            expect(source.current).to.deep.equal(expected);
          }
          source.close();
        }),
      );
    });
  });
});
