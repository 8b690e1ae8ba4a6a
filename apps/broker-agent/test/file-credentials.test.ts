import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RequestCode, requestCodeName } from '@rmqns/protocol';
import { AclServerRpcHook, RemotingCommand, RemotingServer, silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { Agent } from '../src/agent.js';
import { agentParts } from '../src/agent-parts.js';
import { FileCredentials } from '../src/file-credentials.js';
import { takeOutOfAll } from '../src/take-out.js';
import { agentConfig, Scratch } from './agent-fixture.js';

const SECRET = 'a secret that nobody sees';

describe('credentials with a secret key in a file', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let file: string;
  let said: string[];
  const logger = {
    ...silentLogger,
    debug: (...line: unknown[]) => said.push(JSON.stringify(line)),
    info: (...line: unknown[]) => said.push(JSON.stringify(line)),
    warn: (...line: unknown[]) => said.push(JSON.stringify(line)),
  };
  beforeEach(() => {
    scratch = new Scratch();
    clock = new ManualClock(1_000);
    file = join(scratch.path, 'secret');
    said = [];
  });
  afterEach(() => {
    scratch[Symbol.dispose]();
    expect(said.join('\n')).to.not.contain(SECRET);
  });

  const signatureBy = (credentials: FileCredentials): string | undefined => {
    const request = RemotingCommand.request(RequestCode.REGISTER_BROKER, { extFields: { brokerName: 'b' } });
    credentials.doBeforeRequest('127.0.0.1:9876', request);
    return request.extFields?.['Signature'];
  };

  it('sign nothing before there is a key, then with the one that the file holds, and with the last where it holds none', async () => {
    const credentials = new FileCredentials({ accessKey: 'agent', secretKeyFile: file }, { clock, logger });
    await credentials.start(() => {});
    expect(credentials.isReady).to.equal(false);
    expect(() => signatureBy(credentials))
      .to.throw(/secret: there is no such file$/)
      .with.property('code', 'ENCODE_FAILED');
    const looked = async (): Promise<void> => {
      clock.advance(5_000);
      // Whoever asks during a look gets that one.
      await credentials.look();
    };
    writeFileSync(file, `${SECRET}\n`);
    await looked();
    const first = signatureBy(credentials);
    expect(first).to.be.a('string');
    writeFileSync(file, ' \n');
    await looked();
    expect(credentials.problem).to.equal('it is empty');
    expect(signatureBy(credentials)).to.equal(first);
    writeFileSync(file, `${SECRET} of another day`);
    await looked();
    expect(credentials.problem).to.equal(undefined);
    expect(signatureBy(credentials)).to.not.equal(first);
    writeFileSync(file, 'x'.repeat((64 << 10) + 1));
    await looked();
    expect(credentials.problem).to.match(/more than 65536/);
    credentials.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('let an agent register where every request must be signed, as soon as there is a key, and leave', async () => {
    const server = new RemotingServer({ host: '127.0.0.1', port: 0 });
    const asked: (string | undefined)[] = [];
    server.registerRpcHook(
      new AclServerRpcHook({ secretOf: (accessKey) => (accessKey === 'agent' ? SECRET : undefined) }),
    );
    server.registerDefaultProcessor({
      processRequest: (_ctx, { code }) => {
        asked.push(requestCodeName(code));
        return RemotingCommand.response(0);
      },
    });
    await server.start();
    const config = {
      ...agentConfig([server.address], ['A', 'B'], join(scratch.path, 'state')),
      namesrvCredentials: { accessKey: 'agent', secretKeyFile: file },
    };
    const agent = new Agent({ config, clock, logger });
    try {
      await agent.start();
      await clock.advanceAsync(20_000, 1_000);
      expect(agent.status).to.deep.include({ state: 'waiting', waitingFor: [`the secret key of ${file}`] });
      expect(asked).to.deep.equal([]);
      writeFileSync(file, `${SECRET}\n`);
      const round = new Promise<void>((resolve) => agent.once('round', () => resolve()));
      while (agent.status.state === 'waiting') await clock.advanceAsync(1_000, 100);
      await round;
      expect(agent.status.nameServers.servers[0]).to.include({ registered: true, problem: undefined });
      expect(
        JSON.stringify(agent.status, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      ).to.not.contain(SECRET);
      await agent.stop();
      expect(asked.at(-1)).to.equal('UNREGISTER_BROKER');

      asked.length = 0;
      const { nameServers, credentials } = agentParts(config, clock, logger);
      const { message } = await takeOutOfAll(nameServers, config, credentials);
      expect(asked).to.deep.equal(['GET_BROKER_CLUSTER_INFO']);
      expect(message).to.not.contain(SECRET);
    } finally {
      await agent.stop();
      await server.destroy();
    }
    expect(clock.pendingTimers).to.equal(0);
  });
});
