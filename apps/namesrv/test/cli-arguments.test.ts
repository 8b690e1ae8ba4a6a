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
      printConfigItem: true,
      settings: [],
    });
    expect(parseCliArguments(['--configFile', 'a', '--namesrvAddr', 'x', '--printConfigItem']).configFile).to.equal(
      'a',
    );
  });

  for (const args of [['-c'], ['--set'], ['--set', 'x'], ['--set', '=x'], ['-x'], ['extra'], ['--port']])
    it(`calls \`${args.join(' ')}\` wrong usage, in one sentence`, () => {
      const exit = exitOf(args);
      expect(exit.exitCode).to.equal(64);
      expect(exit.message).to.match(/^mqnamesrv: [^\n]+; mqnamesrv --help lists all options$/);
    });
});
