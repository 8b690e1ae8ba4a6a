import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';
import { readAgentYaml } from '../src/agent-yaml.js';
import { readBrokerConf } from '../src/broker-conf.js';
import { surroundings } from './surroundings.js';

const text = readFileSync(join(repositoryRoot, 'docs/agent.md'), 'utf8');
const example = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';

describe('docs/agent.md', () => {
  it('shows a YAML whose keys and defaults are those of the program', () => {
    const whole = readAgentYaml('agent.yaml', example('yaml'), [], undefined, surroundings);
    const withoutDefaults = example('yaml')
      .split('\n')
      .filter((line) => !/# default/.test(line))
      .join('\n')
      .replace('register:\n', '');
    const short = readAgentYaml(
      'agent.yaml',
      withoutDefaults,
      [{ key: 'identity.brokerName', text: 'broker-a', where: '' }],
      undefined,
      surroundings,
    );
    expect(whole.problems).to.equal(undefined);
    expect(short).to.deep.equal(whole);
  });

  it('shows a broker.conf that is taken', () => {
    const loaded = readBrokerConf('broker.conf', Buffer.from(example('properties')), [], surroundings);
    expect(loaded.problems).to.equal(undefined);
    expect(loaded.problems === undefined && loaded.config.identity.brokerAddr).to.equal('10.0.0.5:10911');
  });
});
