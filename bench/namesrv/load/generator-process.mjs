/** The load, alone in its process and on its processor. A wrong or missing answer is an error to whoever asked. */
import { answerQuestions } from '../../harness/ask.mjs';
import { Fleet } from './fleet.mjs';
import { openIdleConnections } from './idle-connections.mjs';
import { LookupPlan } from './lookup-plan.mjs';
import { Probe } from './probe.mjs';
import { lookUp, mixed, registerAgain, splitRegistration, startUp } from './scenarios.mjs';
import { Topology } from './topology.mjs';

/** What is open, by the names that the questions gave. */
const fleets = new Map();
const plans = new Map();
let probe;
let idle;

answerQuestions({
  /** Brokers that register and stay. */
  async seed({ port, topology, compressed, name = 'fleet' }) {
    const fleet = new Fleet(port, new Topology(topology), { compressed });
    fleets.set(name, fleet);
    await fleet.connect();
    await fleet.registerAll();
  },
  /** The same in two steps, so that only the second is timed. */
  async prepareSeed({ port, topology, compressed, name = 'fleet' }) {
    const fleet = new Fleet(port, new Topology(topology), { compressed });
    fleets.set(name, fleet);
    await fleet.connect();
  },
  sendSeed: ({ name = 'fleet' }) => fleets.get(name).registerAll(),
  /** The next registration of the first broker, likewise in two steps. */
  prepare({ name = 'fleet', kind }) {
    const body = fleets.get(name).bodyOf(0);
    if (kind === 'changed') body.change();
    else body.restamp();
  },
  send: ({ name = 'fleet' }) => fleets.get(name).register(0),
  /** All that a seed opened is closed, as when its brokers die. */
  leave({ name = 'fleet' } = {}) {
    fleets.get(name).close();
    fleets.delete(name);
  },
  async openLookups({ port, topology, connections, lookedUp, name = 'lookups' }) {
    plans.set(name, await LookupPlan.open(port, new Topology(topology), connections, lookedUp));
  },
  window: ({ name = 'lookups', perConnection, seconds, ...least }) =>
    plans.get(name).window(perConnection, seconds, least),
  atRate: ({ name = 'lookups', perSecond, seconds }) => plans.get(name).atRate(perSecond, seconds),
  closeLookups({ name = 'lookups' } = {}) {
    plans.get(name).close();
    plans.delete(name);
  },
  register: ({ name = 'fleet', ...details }) => registerAgain(fleets.get(name), details),
  split: (details) => splitRegistration(details),
  unregister: ({ name = 'fleet', index = 0 }) => fleets.get(name).unregister(index),
  mixed: ({ name = 'fleet', lookups = 'lookups', ...details }) => mixed(fleets.get(name), plans.get(lookups), details),
  lookUp,
  startUp,
  async openProbe(details) {
    probe = await Probe.open(details);
  },
  startProbe: () => probe.start(),
  stopProbe: () => probe.stop(),
  closeProbe: () => probe.close(),
  async openIdle({ port, topology, count }) {
    idle = await openIdleConnections(port, new Topology(topology), count);
  },
  stillOpen: () => idle.open,
  closeIdle: () => idle.close(),
  cpuMicros() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
