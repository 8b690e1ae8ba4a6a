/** The server under test, alone in its process and on its processor. Arguments: the peer's name, and the options of `listen` as JSON. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { answerQuestions } from '../harness/ask.mjs';
import { makeMethods } from './methods.mjs';
import { loadPeer } from './peers.mjs';

const DELAY_RESOLUTION_MILLIS = 10;

const [name, options = '{}'] = process.argv.slice(2);
let made;
let delay;
let waited;

answerQuestions({
  async listen() {
    const peer = await loadPeer(name);
    made = makeMethods(peer.traits);
    const { port, mostWaitedMillis } = await peer.listen({ methods: made.methods, ...JSON.parse(options) });
    waited = mostWaitedMillis ?? made.mostWaitedMillis;
    return { port };
  },
  begin() {
    delay?.disable();
    delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MILLIS });
    delay.enable();
    return usage();
  },
  end() {
    const used = usage();
    delay.disable();
    // The timer's own period is no delay.
    const lateMillis = (nanos) => Math.max(0, nanos / 1e6 - DELAY_RESOLUTION_MILLIS);
    return { ...used, delayP99Millis: lateMillis(delay.percentile(99)), delayMostMillis: lateMillis(delay.max) };
  },
  usage,
  waited: () => waited(),
  collected() {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    gc();
    gc();
    return usage();
  },
});

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss(), received: made?.received() ?? 0 };
}
