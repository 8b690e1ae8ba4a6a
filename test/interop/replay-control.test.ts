import { type ApacheNameServer, apacheVersions, listTranscripts, loadTranscript, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { isCaptureRace } from '../conformance/differences.js';
import { replayTranscript } from '../conformance/replay.js';

/** In an order in which one server can have them all: `default` leaves KV entries and changed settings behind. */
const scenarios = ['slave-first', 'master-slave', 'default'];

for (const version of apacheVersions) {
  describe(`the replayer against the ${version} name server, which was recorded`, () => {
    const apache = useApache(version);
    let server: ApacheNameServer;

    before(async () => {
      server = await apache.startNameServer(version);
    });

    const recorded = listTranscripts().filter((transcript) => transcript.version === version);
    for (const scenario of scenarios) {
      if (!recorded.some((transcript) => transcript.scenario === scenario)) continue;
      it(`sees no difference in ${scenario}`, async () => {
        const answers = await replayTranscript(loadTranscript(version, scenario), server.port);
        expect(answers).to.have.length.above(10);
        const differing = answers.filter((answer) => !answer.equal && !isCaptureRace(version, scenario, answer));
        expect(differing).to.deep.equal([]);
      });
    }
  });
}
