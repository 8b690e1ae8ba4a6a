/** A peer's client with the load, alone in its process and on its processor. Arguments: the peer's name and the options of `connect` as JSON. */
import { answerQuestions } from '../harness/ask.mjs';
import { callOnce, churnLoop, closedLoop, onewayLoop } from './closed-loop.mjs';
import { LOADS } from './loads.mjs';
import { openLoop } from './open-loop.mjs';
import { makePayloads } from './payloads.mjs';
import { loadPeer } from './peers.mjs';

const CONNECTS_AT_ONCE = 100;

const [name, optionsJson] = process.argv.slice(2);
const options = JSON.parse(optionsJson);
const peer = await loadPeer(name);
const connections = [];

answerQuestions({
  /** Opens the connections a shape has; those of an earlier one are kept. */
  async connect({ count }) {
    while (connections.length > count) await connections.pop().close();
    while (connections.length < count) {
      const more = Math.min(CONNECTS_AT_ONCE, count - connections.length);
      connections.push(...(await Promise.all(Array.from({ length: more }, () => peer.connect(options)))));
    }
  },
  /** One small call on each connection, so that each is in use. */
  async touch({ load }) {
    const [payload] = makePayloads(LOADS[load], peer.traits);
    for (let i = 0; i < connections.length; i += CONNECTS_AT_ONCE) {
      await Promise.all(connections.slice(i, i + CONNECTS_AT_ONCE).map((connection) => callOnce(connection, payload)));
    }
  },
  /** Calls at a rate, whether answers come or not. */
  async runOpen({ load: loadName, perSecond, seconds }) {
    const load = LOADS[loadName];
    const payloads = makePayloads(load, peer.traits);
    const { calls, latencies } = await openLoop({ connections, perSecond, method: load.method, payloads, seconds });
    return { calls, latencyMicros: latencies.summary() };
  },
  /** Runs a load until both the seconds and the calls are over, but no longer than `maxSeconds`. */
  async run({ load: loadName, inFlight, seconds, calls = 0, maxSeconds = seconds }) {
    const load = LOADS[loadName];
    const payloads = makePayloads(load, peer.traits);
    const until = (made, millis) => (millis >= seconds * 1000 && made >= calls) || millis >= maxSeconds * 1000;
    const before = process.cpuUsage();
    const result = await runLoad(load, { inFlight, payloads, until });
    const { user, system } = process.cpuUsage(before);
    return {
      calls: result.calls,
      others: result.others,
      seconds: result.seconds,
      cpuMicros: user + system,
      latencyMicros: result.latencies.summary(),
    };
  },
});

function runLoad(load, { inFlight, payloads, until }) {
  switch (load.kind) {
    case 'oneway':
      return onewayLoop({ connections, payloads, until });
    case 'churn':
      return churnLoop({ connect: () => peer.connect(options), workers: connections.length, payloads, until });
    case 'mixed': {
      const alsoAtOnce = { payloads: makePayloads({ bytes: load.bigBytes }, peer.traits) };
      return closedLoop({ connections, inFlight, method: 'echo', payloads, until, alsoAtOnce });
    }
    default:
      return closedLoop({ connections, inFlight, method: load.method, payloads, until });
  }
}
