import { CallingConnection } from './calling-connection.mjs';
import { RegistrationBody } from './registration-body.mjs';
import { registrationHead, routeRequest } from './requests.mjs';
import { checkRoute } from './route-check.mjs';
import { brokerName, Topology, topicName } from './topology.mjs';

/**
 * One broker registers again and again for so long. `kind` is `unchanged` or `changed`: another data version, and one topic with another
 * number of queues, whose route is looked up at the end. Making bodies ready does not count.
 */
export async function registerAgain(fleet, { kind, seconds = Infinity, count = Infinity, isChecked = true }) {
  const body = fleet.bodyOf(0);
  const endsAt = performance.now() + seconds * 1000;
  const millis = [];
  while (performance.now() < endsAt && millis.length < count) {
    if (kind === 'changed') body.change();
    else body.restamp();
    const began = performance.now();
    await fleet.register(0);
    millis.push(performance.now() - began);
  }
  if (isChecked && kind === 'changed') {
    const { port, topology } = fleet;
    const broker = topology.firstBroker;
    await checkedLookUp(port, body.changedTopic, [broker], body.changedQueues, topology.version);
  }
  const total = millis.reduce((a, b) => a + b, 0);
  const sorted = millis.toSorted((a, b) => a - b);
  return {
    registrations: millis.length,
    perSecond: (1000 * millis.length) / total,
    p50Millis: sorted[sorted.length >> 1],
    maxMillis: sorted.at(-1),
    bodyBytes: body.bytes.length,
  };
}

/** A broker's registration in parts, as 5.x brokers can: so many topics in each, with a data version of its own. */
const splits = new Map();
export async function splitRegistration({ port, topology: options, size, step }) {
  const topology = new Topology(options);
  if (step === 'prepare') {
    const names = topology.topicsOf(topology.firstBroker);
    const parts = [];
    for (let at = 0; at < names.length; at += size)
      parts.push(new RegistrationBody({ topology, names: names.slice(at, at + size) }));
    splits.set(port, { parts, connection: await CallingConnection.open(port) });
    return { parts: parts.length };
  }
  const { parts, connection } = splits.get(port);
  if (step === 'close') {
    splits.delete(port);
    connection.close();
    return undefined;
  }
  if (step === 'change') {
    for (const part of parts) part.change({ versionOnly: true });
    return undefined;
  }
  const began = performance.now();
  for (const part of parts) {
    const { code, body } = await connection.call(registrationHead(topology, topology.firstBroker, part), part.bytes);
    if (code !== 0) throw new Error(`a part of a registration was answered with ${code} ${body}`);
  }
  return { millis: performance.now() - began };
}

/** Lookups at a rate while all brokers of the fleet register again within each period, a share of them changed. */
export async function mixed(fleet, plan, { perSecond, seconds, everySeconds, changedShare }) {
  const gapMillis = (1000 * everySeconds) / fleet.size;
  const millis = [];
  const failures = [];
  let timer;
  let turn = 0;
  let isOver = false;
  let underWay = Promise.resolve();
  const registerNext = () => {
    if (isOver) return;
    const index = turn % fleet.size;
    const isChanged = Math.floor((turn + 1) * changedShare) > Math.floor(turn * changedShare);
    turn++;
    timer = setTimeout(registerNext, gapMillis);
    const body = fleet.bodyOf(index);
    if (isChanged) body.change({ versionOnly: true });
    else body.restamp();
    const began = performance.now();
    underWay = fleet.register(index).then(
      () => millis.push(performance.now() - began),
      (error) => failures.push(error),
    );
  };
  registerNext();
  const lookups = await plan.atRate(perSecond, seconds).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
  await underWay;
  if (failures.length > 0) throw failures[0];
  const sorted = millis.sort((a, b) => a - b);
  return {
    ...lookups,
    registrations: sorted.length,
    registrationP50Millis: sorted[sorted.length >> 1],
    registrationMaxMillis: sorted.at(-1),
  };
}

/** Waits until a topic's route is that of these brokers; without any, until there is none. Its time in milliseconds. */
export async function lookUp({ port, topic, brokers, version = 479 }) {
  const connection = await CallingConnection.open(port);
  const began = performance.now();
  try {
    for (;;) {
      const { code, body } = await connection.call(routeRequest(topic, version));
      if (brokers.length === 0 ? code === 17 : code === 0 && isRight(body, topic, brokers))
        return performance.now() - began;
      if (performance.now() - began > 30_000) throw new Error(`the route of ${topic} did not become right`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } finally {
    connection.close();
  }
}

function isRight(body, topic, brokers) {
  try {
    checkRoute(body, topic, brokers, 8);
    return true;
  } catch {
    return false;
  }
}

/** Tries until the server has taken a registration and answered its route rightly; when that was, by the system's clock. */
export async function startUp({ port, timeoutMillis = 30_000 }) {
  const topology = new Topology({});
  const endsAt = performance.now() + timeoutMillis;
  for (;;) {
    try {
      const connection = await CallingConnection.open(port);
      try {
        const body = new RegistrationBody({ topology, names: topology.topicsOf(0) });
        const { code } = await connection.call(registrationHead(topology, 0, body), body.bytes);
        if (code !== 0) throw new Error(`${brokerName(0)} could not register: ${code}`);
        const answer = await connection.call(routeRequest(topicName(0), topology.version));
        if (answer.code !== 0) throw new Error(`the first route was answered with ${answer.code}`);
        checkRoute(answer.body, topicName(0), [0], 8);
        return performance.timeOrigin + performance.now();
      } finally {
        connection.close();
      }
    } catch (error) {
      if (performance.now() > endsAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

async function checkedLookUp(port, topic, brokers, queues, version) {
  const connection = await CallingConnection.open(port);
  const { code, body } = await connection.call(routeRequest(topic, version));
  connection.close();
  if (code !== 0) throw new Error(`the changed topic's route was answered with ${code}`);
  checkRoute(body, topic, brokers, queues);
}
