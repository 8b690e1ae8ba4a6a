import { Exit } from '@rmqns/program';
import { expect } from 'chai';
import { parseCliArguments } from '../src/cli-arguments.js';

function exitOf(...args: string[]): Exit {
  try {
    parseCliArguments(args);
  } catch (error) {
    if (error instanceof Exit) return error;
    throw error;
  }
  throw new Error('it did not exit');
}

describe('the arguments of rmq-agent', () => {
  it('need no more than a file', () => {
    expect(parseCliArguments(['-c', 'broker.conf'])).to.deep.equal({
      configFile: 'broker.conf',
      namesrvAddr: undefined,
      settings: [],
      mode: 'run',
      output: 'table',
      adminPort: undefined,
      logLevel: undefined,
      logFormat: undefined,
    });
  });

  it('are read, all of them', () => {
    const args = ['-c', 'a.yaml', '-n', 'a:1;b:2', '--set', 'x=1=2', '--set', 'y=', '--once', '--log-level', 'debug'];
    expect(parseCliArguments([...args, '--log-format', 'pretty'])).to.deep.equal({
      configFile: 'a.yaml',
      namesrvAddr: 'a:1;b:2',
      settings: [
        { key: 'x', text: '1=2', where: '--set ' },
        { key: 'y', text: '', where: '--set ' },
      ],
      mode: 'once',
      output: 'table',
      adminPort: undefined,
      logLevel: 'debug',
      logFormat: 'pretty',
    });
    expect(parseCliArguments(['-c', 'a.yaml', '--dry-run']).mode).to.equal('dry-run');
    expect(parseCliArguments(['status', '-o', 'json', '--admin-port', '9'])).to.include({
      mode: 'status',
      output: 'json',
      adminPort: 9,
      configFile: undefined,
    });
  });

  it('that are wrong end with 64 and one sentence', () => {
    expect(exitOf()).to.include({
      exitCode: 64,
      message: 'rmq-agent: a configuration file must be given with -c FILE; rmq-agent --help lists all options',
    });
    expect(exitOf('-c', 'f', '--onse').message).to.match(
      /^rmq-agent: unknown option '--onse' \(Did you mean --once\?\);/,
    );
    expect(exitOf('-c', 'f', '--once', '--dry-run').exitCode).to.equal(64);
    expect(exitOf('-c', 'f', '--set', 'x').exitCode).to.equal(64);
    expect(exitOf('-c', 'f', '--log-level', 'loud').exitCode).to.equal(64);
    expect(exitOf('-c', 'f', 'more').exitCode).to.equal(64);
    expect(exitOf('topics').message).to.match(/-c FILE/);
    expect(exitOf('topics', '-c', 'f', '--once').exitCode).to.equal(64);
    expect(exitOf('topics', 'status', '-c', 'f').exitCode).to.equal(64);
    for (const port of ['-1', '65536', 'x', ''])
      expect(exitOf('status', `--admin-port=${port}`).message).to.match(/It is no port from 0 to 65535/);
    for (const none of ['', ' ', ' ; ']) {
      expect(exitOf('-c', 'f', '-n', none).exitCode).to.equal(64);
      expect(exitOf('-c', 'f', '-n', none).message).to.match(/ is invalid\. It names no name server; rmq-agent --help/);
    }
  });

  it('for help and the version end with 0', () => {
    expect(exitOf('--help')).to.include({ exitCode: 0, asked: true });
    expect(exitOf('--version').message).to.match(/^rmq-agent \d+\.\d+\.\d+ \(rmqns; .*Node\.js v\d+/);
  });
});
