import { ApacheProcesses, type ApacheVersion, listTranscripts, loadTranscript, requireInterop } from '@rmqns/test-kit';
import { expect } from 'chai';
import { replayTranscript } from '../conformance/replay.js';

const scenarios = new Set(['default', 'master-slave', 'slave-first']);

describe('the replayer against the name servers that were recorded', () => {
  let apache: ApacheProcesses;

  before(async function () {
    requireInterop(this);
    apache = await ApacheProcesses.create();
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
  });

  for (const { version, scenario } of listTranscripts()) {
    if (!scenarios.has(scenario)) continue;
    it(`sees no difference in ${scenario} of ${version}`, async () => {
      await using server = await start(version);
      const answers = await replayTranscript(loadTranscript(version, scenario), server.port);
      expect(answers).to.have.length.above(10);
      expect(answers.filter(({ equal }) => !equal)).to.deep.equal([]);
    });
  }

  async function start(version: ApacheVersion): Promise<{ port: number } & AsyncDisposable> {
    await apache.fetch(version);
    const { port, process } = await apache.startNameServer(version);
    return {
      port,
      [Symbol.asyncDispose]: async () => {
        await process.stop();
      },
    };
  }
});
