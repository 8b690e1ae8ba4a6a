import { Exit } from '@rmqns/program';
import { expect } from 'chai';
import { type CliArguments, parseCliArguments } from '../src/cli-arguments.js';

describe('parseCliArguments', () => {
  const exitOf = (args: readonly string[]): Exit => {
    let parsed: CliArguments;
    try {
      parsed = parseCliArguments(args);
    } catch (error) {
      if (error instanceof Exit) return error;
      throw error;
    }
    throw new Error(`taken: ${JSON.stringify(parsed)}`);
  };

  it("takes Apache's options, short and long", () => {
    expect(parseCliArguments(['-c', 'a', '-n', 'x', '-p'])).to.deep.equal({
      configFile: 'a',
      task: 'print config items',
      lenient: false,
      settings: [],
      ignored: [],
    });
    expect(parseCliArguments(['--configFile', 'a', '--namesrvAddr', 'x', '--printConfigItem']).configFile).to.equal(
      'a',
    );
  });

  it('takes arguments without an option, which Apache ignores', () => {
    expect(parseCliArguments(['extra', '-c', 'a', 'b'])).to.deep.include({ configFile: 'a', ignored: ['extra', 'b'] });
  });

  it('tells the three ways to look at a configuration apart', () => {
    expect(parseCliArguments(['--print-config', '-c', 'a']).task).to.equal('print config');
    expect(parseCliArguments(['--print-config=json']).task).to.equal('print config as json');
    expect(parseCliArguments(['--check-config']).task).to.equal('check config');
  });

  it('prints its usage as Apache does, then its own', () => {
    const { exitCode, message } = exitOf(['-h']);
    expect(exitCode).to.equal(0);
    expect(message.split('\n').slice(0, 6)).to.deep.equal([
      'usage: mqnamesrv [-c <arg>] [-h] [-n <arg>] [-p]',
      ' -c,--configFile <arg>    Name server config properties file',
      ' -h,--help                Print help',
      " -n,--namesrvAddr <arg>   Name server address list, eg: '192.168.0.1:9876;192.168.0.2:9876'",
      ' -p,--printConfigItem     Print all config items',
      '',
    ]);
    expect(message).to.match(/ --set <key=value> +set any option; may be repeated\n/);
  });

  for (const args of [['-c'], ['--set'], ['--set', 'x'], ['--set', '=x'], ['-x'], ['--port'], ['--print-config=xml']])
    it(`calls \`${args.join(' ')}\` wrong usage, in one sentence`, () => {
      const exit = exitOf(args);
      expect(exit.exitCode).to.equal(64);
      expect(exit.message).to.match(/^mqnamesrv: [^\n]+; mqnamesrv --help lists all options$/);
    });
});
