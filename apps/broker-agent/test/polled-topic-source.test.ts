import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { RequestCode } from '@rmqns/protocol';
import { RemotingClient, RemotingCommand, RemotingServer, silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { brokerTopicsOf, execTopics, httpTopics } from '../src/ask-for-topics.js';
import { type AskForTopics, PolledTopicSource } from '../src/polled-topic-source.js';
import { topicsJsonText } from './topics-json-text.js';

describe('PolledTopicSource', () => {
  let clock: ManualClock;
  let source: PolledTopicSource | undefined;
  let changes: number;
  let lines: string[];
  beforeEach(() => {
    clock = new ManualClock();
    source = undefined;
    changes = 0;
    lines = [];
  });
  afterEach(async () => {
    source?.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pendingTimers).to.equal(0);
  });

  const open = (ask: AskForTopics): PolledTopicSource => {
    const log = (fields: object, message?: string) =>
      lines.push(`${message}: ${(fields as { problem?: string }).problem}`);
    const logger = { ...silentLogger, info: log, warn: log };
    source = new PolledTopicSource({ name: 's', ask, everyMillis: 15_000, timeoutMillis: 5_000, clock, logger });
    return source;
  };
  const topics = (): string[] | undefined => source?.current && [...source.current.table.keys()];

  it('keeps its last good table whatever the answer, tells a problem once, and counts', async () => {
    const asked = open(async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    });
    let answer: Awaited<ReturnType<AskForTopics>> | Error = new Error('refused');
    await asked.start(() => (changes += 1));
    expect([topics(), asked.problem, asked.errors, asked.lastGoodMillis]).to.deep.equal([
      undefined,
      'refused',
      1,
      undefined,
    ]);
    answer = { table: new Map() };
    clock.advance(15_000);
    await asked.look();
    expect([topics(), asked.problem, asked.lastGoodMillis, changes]).to.deep.equal([[], undefined, 15_000, 1]);
    for (const problem of ['gone, dial 1', 'refused', 'gone, dial 22', 'refused']) {
      answer = new Error(problem);
      await asked.look();
    }
    answer = undefined;
    await asked.look();
    expect([topics(), asked.errors, changes]).to.deep.equal([[], 5, 1]);
    expect(lines).to.deep.equal([
      'the source gives no topics: refused',
      'the source gives topics again: undefined',
      'the source gives no topics, its last good table stays: gone, dial 1',
      'the source gives no topics, its last good table stays: refused',
      'the source gives topics again: undefined',
    ]);
  });

  describe('of an HTTP server', () => {
    let answer: (request: IncomingMessage, response: ServerResponse) => void;
    const server = createServer((request, response) => answer(request, response));
    let url: string;
    before(async () => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/topics`;
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });

    it('is asked with the ETag of its last good table alone', async () => {
      const seen: unknown[] = [];
      const bodies = ['[{"topic":"A"}]', '[{"topic":"B"', '[{"topic":"B"}]'];
      let version = 1;
      answer = (request, response) => {
        seen.push(request.headers['if-none-match']);
        const etag = `"${version}"`;
        if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
        else response.writeHead(200, { etag }).end(bodies[version - 1]);
      };
      const asked = open(httpTopics(url, true));
      await asked.start(() => (changes += 1));
      await asked.look();
      version = 2;
      await asked.look();
      expect([topics(), asked.problem]).to.deep.equal([['A'], 'it is no JSON text']);
      version = 3;
      await asked.look();
      expect([topics(), asked.problem]).to.deep.equal([['B'], undefined]);
      expect(seen).to.deep.equal([undefined, '"1"', '"1"', '"1"']);
      expect(changes).to.equal(1);
    });

    it('may begin with a byte order mark, and is not taken in an encoding that nobody asked for', async () => {
      const asked = open(httpTopics(url, true));
      answer = (_, response) => response.end('\ufeff[{"topic":"A"}]');
      await asked.start(() => {});
      expect(topics()).to.deep.equal(['A']);
      answer = (_, response) => response.end(`\ufeff${topicsJsonText(['B'], 7)}`);
      await asked.look();
      expect(topics()).to.deep.equal(['B']);
      let wanted: unknown;
      answer = (request, response) => {
        wanted = request.headers['accept-encoding'];
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('[{"topic":"C"}]'));
      };
      await asked.look();
      expect([topics(), asked.problem]).to.deep.equal([['B'], 'it answered in gzip, which nobody asked for']);
      expect(wanted).to.equal('identity');
    });

    it('keeps its table through errors, an answer that is cut off and one that does not end', async () => {
      answer = (_, response) => response.end(topicsJsonText(['A', 'B'], 7));
      const asked = open(httpTopics(url, true));
      await asked.start(() => {});
      expect(asked.current?.dataVersion?.counter).to.equal(7);
      const problems: unknown[] = [];
      for (const next of [
        (_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end(),
        (_: IncomingMessage, response: ServerResponse) => response.writeHead(304).end(),
        (_: IncomingMessage, response: ServerResponse) => response.end(),
        (_: IncomingMessage, response: ServerResponse) => {
          response.writeHead(200, { 'content-length': 100 }).write('[');
          response.destroy();
        },
      ]) {
        answer = next;
        await asked.look();
        problems.push(asked.problem);
      }
      const begun = new Promise<void>((resolve) => {
        answer = (_, response) => {
          response.write('[');
          resolve();
        };
      });
      const looked = asked.look();
      await begun;
      clock.advance(5_000);
      await looked;
      expect([...problems, asked.problem]).to.deep.equal([
        'it answered 404, not 200',
        'it answered 304, not 200',
        'it is empty',
        'the connection ended before the answer',
        'no answer within 5000 ms',
      ]);
      expect(topics()).to.deep.equal(['A', 'B']);
    });
  });

  it('takes what a command prints, and nothing of one that fails', async () => {
    const sh = (script: string) => execTopics(['/bin/sh', '-c', script]);
    const asks = [
      sh(`echo '[{"topic":"A","read":2,"write":3,"perm":"r"}]'`),
      sh('echo "[]"; echo "no database" >&2; exit 3'),
      sh('kill -9 $$'),
      sh(`echo '[{"topic":"A"},{"topic":"A"}]'`),
      sh(`echo '[{"topic":"A"},{"topic":"B C"}]'`),
      sh(`echo '{"topics":[]}'`),
      execTopics(['/no/such/program']),
    ];
    const problems: unknown[] = [];
    const asked = open((signal) => (asks.shift() as AskForTopics)(signal));
    await asked.start(() => {});
    while (asks.length > 0) {
      await asked.look();
      problems.push(asked.problem);
    }
    expect(problems).to.deep.equal([
      'it ended with exit code 3: no database',
      'a signal ended it',
      'it names a topic twice',
      'topic 1.topic: is no topic name: up to 127 letters, digits and % | _ -',
      'it holds no topicConfigTable',
      'cannot run /no/such/program: there is no such program',
    ]);
    const { readQueueNums, writeQueueNums, perm } = asked.current?.table.get('A') ?? {};
    expect([readQueueNums, writeQueueNums, perm]).to.deep.equal([2, 3, 4]);
  });

  it('asks a running broker for its topics (21)', async () => {
    const broker = new RemotingServer({ host: '127.0.0.1', port: 0 });
    let response = () => RemotingCommand.response(0, undefined, { body: Buffer.from(topicsJsonText(['A', 'B'], 4)) });
    broker.registerProcessor(RequestCode.GET_ALL_TOPIC_CONFIG, { processRequest: () => response() });
    await broker.start();
    const client = new RemotingClient({ clock });
    try {
      const asked = open(brokerTopicsOf(client, broker.address, 5_000));
      await asked.start(() => {});
      expect([topics(), asked.current?.dataVersion?.counter]).to.deep.equal([['A', 'B'], 4]);
      response = () => RemotingCommand.response(1, 'No topic in this broker');
      await asked.look();
      expect(asked.problem).to.match(/No topic in this broker/);
      response = () => RemotingCommand.response(0, undefined);
      await asked.look();
      expect(asked.problem).to.equal('it holds no topicConfigTable');
      expect(topics()).to.deep.equal(['A', 'B']);
    } finally {
      source?.close();
      await client.destroy();
      await broker.destroy();
    }
  });
});
