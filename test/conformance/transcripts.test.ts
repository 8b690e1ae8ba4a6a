import { join } from 'node:path';
import { createNameServer, type NamesrvOptions, parseOptionText } from '@rmqns/namesrv';
import { ManualClock } from '@rmqns/remoting/testing';
import { type ApacheVersion, listTranscripts, loadTranscript, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';
import { differenceOf, ListedDifferences, readDifferences } from './differences.js';
import { type ComparedAnswer, replayTranscript } from './replay.js';

describe('recorded traffic', () => {
  for (const { version, scenario } of listTranscripts()) {
    it(`${scenario} of ${version} gets Apache's answers`, async () => {
      const listed = new ListedDifferences(version, scenario);
      const answers = await replay(version, scenario, version);
      const wrong = answers.filter((answer) => !listed.accepts(answer));
      expect(wrong.map(describeAnswer), 'answers that differ').to.deep.equal([]);
      expect(listed.unmet, 'listed differences that were not met').to.deep.equal([]);
    });
  }

  // Where lookups are asked in other ways, or answers depend on more than the tables.
  const ofWorkers = [
    ['4.7.1', 'default'],
    ['4.9.7', 'binary-clients'],
    ['4.9.7', 'order-message'],
    ['5.3.3', 'acting-master-native'],
    ['5.3.3', 'broker-killed'],
    ['5.3.3', 'wait-for-service'],
    ['5.3.3', 'zone'],
  ] as const;
  for (const [version, scenario] of ofWorkers)
    it(`${scenario} of ${version} gets Apache's answers from a server with workers`, async () => {
      const listed = new ListedDifferences(version, scenario);
      const answers = await replay(version, scenario, version, { workers: 2 });
      const wrong = answers.filter((answer) => !listed.accepts(answer));
      expect(wrong.map(describeAnswer), 'answers that differ').to.deep.equal([]);
    });

  it('shows a difference when it is played to a server of another profile', async () => {
    const answers = await replay('4.9.7', 'master-slave', '4.7.1');
    expect(answers.some(({ code, equal }) => code === 105 && !equal)).to.equal(true);
  });

  it('has a list of differences in which each entry has an id, a reason and something that differs', () => {
    const ids = new Set<string>();
    for (const { id, reason, theirs, ours } of readDifferences()) {
      expect(ids.has(id), `${id} is there twice`).to.equal(false);
      ids.add(id);
      expect(reason, id).to.have.length.above(10);
      expect(theirs, id).to.not.deep.equal(ours);
    }
  });
});

async function replay(
  version: ApacheVersion,
  scenario: string,
  profile: ApacheVersion,
  options: NamesrvOptions = {},
): Promise<ComparedAnswer[]> {
  const transcript = loadTranscript(version, scenario);
  await using directory = await TemporaryDirectory.create();
  const clock = new ManualClock();
  await using server = createNameServer(
    {
      profile,
      listenPort: 0,
      bindAddress: '127.0.0.1',
      configUpdatePolicy: 'apache',
      rocketmqHome: directory.path,
      kvConfigPath: join(directory.path, 'kvConfig.json'),
      configStorePath: join(directory.path, 'namesrv.properties'),
      ...optionsOf(transcript.serverOptions),
      ...options,
    },
    { clock },
  );
  await server.start();
  return await replayTranscript(transcript, Number(server.address.split(':')[1]), {
    onTime: (millis) => clock.advance(millis),
  });
}

/** The options that a transcript's server was started with. */
function optionsOf(serverOptions: readonly string[]): NamesrvOptions {
  const options: Record<string, string | number | boolean> = {};
  for (const pair of serverOptions) {
    const [key = '', text = ''] = pair.split('=');
    const parsed = parseOptionText(key === '-Drocketmq.serialize.type' ? 'serializeType' : key, text);
    if (parsed.problem !== undefined)
      throw new Error(`the transcript's server has an option that ours has not: ${pair}`);
    options[parsed.name] = parsed.value;
  }
  return options;
}

function describeAnswer({ step, code, nth, theirs, ours }: ComparedAnswer): object {
  return { step, code, nth, ...differenceOf(theirs, ours) };
}
