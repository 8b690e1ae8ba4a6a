import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Exit } from '@rmqns/program';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { ConfigFile } from '../src/config-file.js';
import { formOf, loadAgentConfig } from '../src/load-agent-config.js';
import { surroundings } from './surroundings.js';

describe('loadAgentConfig', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const file = (path: string) => new ConfigFile(path, { clock: new ManualClock(0), onWait: () => {} });
  const load = (name: string, text: string, namesrvAddr?: string) => {
    const configFile = join(directory, name);
    writeFileSync(configFile, text);
    return loadAgentConfig({ configFile: file(configFile), namesrvAddr, settings: [] }, surroundings);
  };
  const yaml = 'namesrv: {addresses: ["y:1"]}\ntopics: {sources: [{static: []}]}\nstate: {dir: /s}\n';

  it('reads either form by its extension, with the name servers of the command line before those of the file', async () => {
    expect((await load('broker.conf', 'namesrvAddr=c:1')).config.namesrvAddresses).to.deep.equal(['c:1']);
    expect((await load('broker.conf', 'namesrvAddr=c:1', 'n:1;n:2')).config.namesrvAddresses).to.deep.equal([
      'n:1',
      'n:2',
    ]);
    expect((await load('agent.yaml', yaml)).config.namesrvAddresses).to.deep.equal(['y:1']);
    expect((await load('agent.yml', yaml, 'n:1')).config.namesrvAddresses).to.deep.equal(['n:1']);
  });

  for (const [path, text, form] of [
    ['a.conf', 'namesrv: x', 'properties'],
    ['a.PROPERTIES', '', 'properties'],
    ['a.yaml', 'a=b', 'yaml'],
    ['agent', '# one\n\n! two\nbrokerName = a', 'properties'],
    ['agent', '# one\nnamesrv:\n  addresses: ["a=b"]', 'yaml'],
    ['agent', '{ namesrv: 1 }', 'yaml'],
  ] as const)
    it(`takes ${path} holding ${JSON.stringify(text)} for ${form}`, () => {
      expect(formOf(path, text)).to.equal(form);
    });

  it('names the file with each problem, and ends with 78', async () => {
    const error = await load('broker.conf', 'namesrvAddr=c\nlistenPort=x').catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Exit).and.to.include({ exitCode: 78 });
    const file = join(directory, 'broker.conf');
    expect((error as Exit).message.split('\n')).to.deep.equal([
      'rmq-agent: the configuration cannot be used:',
      `${file}:1 namesrvAddr: "c" is no host:port: the port, 0 to 65535, must follow the last colon`,
      `${file}:2 listenPort: "x" is no whole number`,
    ]);
  });

  it('refuses YAML that is not UTF-8, by its line', async () => {
    const configFile = join(directory, 'agent.yaml');
    writeFileSync(configFile, Buffer.concat([Buffer.from('# ü\n'), Buffer.from('identity: {cluster: ü}\n', 'latin1')]));
    const settings = { configFile: file(configFile), namesrvAddr: undefined, settings: [] };
    const error = await loadAgentConfig(settings, surroundings).catch((caught: unknown) => caught);
    expect(error).to.include({ exitCode: 78 });
    expect((error as Exit).message.split('\n')[1]).to.equal(`${configFile}:2: is not UTF-8 text`);
  });

  it('says that the file is missing, and ends with 1', async () => {
    const configFile = join(directory, 'none.yaml');
    const error = await loadAgentConfig(
      { configFile: file(configFile), namesrvAddr: undefined, settings: [] },
      surroundings,
    ).catch((caught: unknown) => caught);
    expect(error).to.include({
      exitCode: 1,
      message: `rmq-agent: cannot read the configuration file ${configFile}: there is no such file`,
    });
  });
});
