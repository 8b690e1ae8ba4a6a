import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { AdminCompanion } from '../src/admin-companion.js';
import type { AdminConfig } from '../src/agent-config.js';
import { AgentService } from '../src/agent-service.js';
import { statusTable } from '../src/status-table.js';
import { agentConfig, Scratch } from './agent-fixture.js';

const anyPort: AdminConfig = { bind: '127.0.0.1', port: 0, hosts: [] };

describe('the admin pages', () => {
  let scratch: Scratch;
  let server: NameServer;
  let service: AgentService;
  let admin: AdminCompanion;
  let said: string[];
  let clock: ManualClock;

  beforeEach(async () => {
    scratch = new Scratch();
    said = [];
    server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await server.start();
  });
  afterEach(async () => {
    await service.stop();
    await server.close();
    scratch[Symbol.dispose]();
  });

  async function start(config: AdminConfig = anyPort): Promise<void> {
    const hear = (_: object, message?: string): void => void said.push(message ?? '');
    const logger = { ...silentLogger, warn: hear, error: hear };
    const whole = { ...agentConfig([server.address], ['A', 'B'], join(scratch.path, 'state')), admin: config };
    clock = new ManualClock(1_000_000);
    service = new AgentService({ config: whole, clock, logger });
    admin = new AdminCompanion({ status: () => service.status, version: '1.2.3', logger });
    service.add(admin);
    const registered = new Promise((resolve) => server.once('change', resolve));
    await service.start();
    await registered;
  }

  const get = (path: string): Promise<Response> =>
    fetch(`http://${admin.address}${path}`, { headers: { connection: 'close' } });

  /** The status line of the answer to a request as written. */
  async function ask(...lines: readonly string[]): Promise<string> {
    const [host = '', port] = (admin.address ?? '').split(':');
    const socket = connect(Number(port), host).setEncoding('utf8');
    let answer = '';
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.end(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`);
    await once(socket, 'close');
    return answer;
  }

  it('tell that it runs, that it is ready, and how it is', async () => {
    await start();
    expect((await get('/livez')).status).to.equal(200);
    expect(await (await get('/readyz?verbose')).text()).to.equal('ready\n');
    const document = JSON.parse(await (await get('/status')).text());
    expect(document).to.deep.include({ schema: 1, version: '1.2.3', ready: true, missing: [], state: 'registering' });
    expect(document.topics).to.deep.include({ count: 2, problem: null });
    expect(document.nameServers.servers).to.deep.equal([
      {
        address: server.address,
        registered: true,
        conflict: null,
        flapping: false,
        lastSuccessMillis: 1_000_000,
        lastSuccessAgeMillis: 0,
        problem: null,
      },
    ]);
  });

  it('tell how long ago the last success was, also when the clock of the machine was put right meanwhile', async () => {
    await start();
    while ((await get('/readyz')).status !== 200);
    clock.jump(86_400_000);
    clock.advance(1_000);
    const document = JSON.parse(await (await get('/status')).text());
    expect(document.nameServers.servers[0].lastSuccessAgeMillis).to.equal(1_000);
    expect(statusTable(document)).to.match(/yes +1 s ago/);
  });

  it('name what is missing while the agent is not ready, which lives nevertheless', async () => {
    await start();
    await server.close();
    const lost = async (): Promise<Response> => {
      const answer = await get('/readyz');
      return answer.status === 503 ? answer : await lost();
    };
    expect(await (await lost()).text()).to.equal('waiting for:\nany name server\n');
    expect((await get('/livez')).status).to.equal(200);
  });

  it('have every metric of the specification, with its value', async () => {
    await start();
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    const namesrv = `{namesrv="${server.address}"}`;
    for (const line of [
      'rocketmq_agent_up 1',
      'rocketmq_agent_ready 1',
      'rocketmq_agent_healthy 1',
      `rocketmq_agent_registrations_total{namesrv="${server.address}",result="ok"} 1`,
      `rocketmq_agent_registration_duration_seconds_count${namesrv} 1`,
      `rocketmq_agent_last_success_timestamp_seconds${namesrv} 1000`,
      'rocketmq_agent_round_duration_seconds_count 1',
      'rocketmq_agent_rounds_total{result="all"} 1',
      'rocketmq_agent_rounds_total{result="none"} 0',
      'rocketmq_agent_topics{source="static"} 2',
      'rocketmq_agent_source_errors_total{source="static"} 0',
      `rocketmq_agent_data_version_counter ${service.status.topics.dataVersion?.counter}`,
      'rocketmq_agent_health_transitions_total{to="failing"} 0',
      'rocketmq_agent_namesrv_known 1',
    ])
      expect(text.split('\n')).to.include(line);
    for (const name of ['source_age_seconds', 'probe_success', 'probe_duration_seconds', 'hook_runs_total'])
      expect(text).to.contain(`# TYPE rocketmq_agent_${name} `);
  });

  it('refuse a name that may be anybody’s, other methods and other paths', async () => {
    await start();
    expect(await ask('GET /status HTTP/1.1', 'host: evil.example')).to.match(/^HTTP\/1\.1 403 [\s\S]*admin\.hosts\n$/);
    expect(await ask('POST /status HTTP/1.1', 'host: localhost', 'content-length: 1')).to.match(
      /^HTTP\/1\.1 405 [\s\S]*allow: GET/i,
    );
    expect(await ask('GET /secret HTTP/1.1', 'host: localhost')).to.match(
      /^HTTP\/1\.1 404 [\s\S]*\/livez, \/readyz, \/metrics, \/status\n$/,
    );
    expect(await ask('GET / HTTP/1.1')).to.match(/^HTTP\/1\.1 400 /);
  });

  it('end with the agent, though somebody asks slowly', async () => {
    await start();
    const [host = '', port] = (admin.address ?? '').split(':');
    const socket = connect(Number(port), host, () => socket.write('GET /livez HTT'));
    await once(socket, 'connect');
    const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    await service.stop();
    await closed;
  });

  it('are not there where the port is in use, which one sentence says, and the node is registered', async () => {
    const [, port] = server.address.split(':');
    await start({ ...anyPort, port: Number(port) });
    expect(said).to.deep.equal([
      `cannot serve the admin pages at ${server.address}: the port is in use; set another one as admin.port or by --admin-port, 0 for none`,
    ]);
    expect(service.status.state).to.equal('registering');
  });

  it('are there once the port is free, and say until then but once that it is not', async () => {
    const holder = createNetServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    const { port } = holder.address() as AddressInfo;
    await start({ ...anyPort, port });
    await clock.advanceAsync(35_000, 1_000);
    expect([said.length, admin.address]).to.deep.equal([1, undefined]);
    await new Promise((resolve) => holder.close(resolve));
    while (admin.address === undefined) await clock.advanceAsync(1_000, 1_000);
    expect((await get('/livez')).status).to.equal(200);
  });

  it('warn where other machines can read them', async () => {
    await start({ ...anyPort, bind: '0.0.0.0' });
    expect(said.join()).to.match(/can be read from other machines/);
  });

  it('move when a new configuration has them elsewhere, and go when it has none', async () => {
    await start();
    const before = admin.address;
    const config = agentConfig([server.address], ['A', 'B'], join(scratch.path, 'state'));
    await service.reload({ ...config, admin: { ...anyPort, hosts: ['more'] } });
    expect((await get('/livez')).status).to.equal(200);
    expect(admin.address).not.to.equal(before);
    await service.reload(config);
    expect(admin.address).to.equal(undefined);
  });
});
