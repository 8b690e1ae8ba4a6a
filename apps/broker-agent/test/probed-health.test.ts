import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import type { Health } from '../src/health-gate.js';
import type { Probe, ProbeResult } from '../src/probe.js';
import { ProbedHealth, type ScheduledProbe } from '../src/probed-health.js';

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('ProbedHealth', () => {
  let clock: ManualClock;
  let gate: ProbedHealth;
  let changes: Health[];
  let lines: string[];
  beforeEach(() => {
    clock = new ManualClock();
    changes = [];
    lines = [];
  });
  afterEach(async () => {
    gate.close();
    await turns();
    expect(clock.pendingTimers).to.equal(0);
  });

  const scheduled = (name: string, probe: Probe): ScheduledProbe => ({
    name,
    probe,
    everyMillis: 5_000,
    timeoutMillis: 1_000,
    rise: 2,
    fall: 3,
  });
  const start = (probes: Probe[], mode: 'all' | 'any' = 'all', initial: Health = 'failing'): void => {
    const log = (level: string) => (fields: object, message?: string) => {
      const { probe, output } = fields as { probe: string; output: string };
      lines.push(`${level} ${probe} ${message}: ${output}`);
    };
    gate = new ProbedHealth({
      probes: probes.map((probe, index) => scheduled(`p${index}`, probe)),
      mode,
      initial,
      clock,
      logger: { ...silentLogger, info: log('info'), warn: log('warn') },
    });
    gate.start(() => changes.push(gate.health));
  };
  const pass: ProbeResult = { passed: true, output: 'fine' };
  const look = async (): Promise<void> => {
    clock.advance(5_000);
    await turns();
  };

  it('fails until its probe passed often enough, and again when it failed often enough, whatever made it fail', async () => {
    let next: Probe = async () => pass;
    start([(signal) => next(signal)]);
    await turns();
    expect(gate.health).to.equal('failing');
    await look();
    expect(changes).to.deep.equal(['passing']);
    next = async () => ({ passed: false, output: 'answered 500, not 200' });
    await look();
    next = async () => {
      throw new Error('connect ECONNREFUSED');
    };
    await look();
    next = () => new Promise(() => {});
    await look();
    expect(gate.health).to.equal('passing');
    clock.advance(1_000);
    await turns();
    expect(changes).to.deep.equal(['passing', 'failing']);
    expect(gate.probes[0]).to.deep.equal({
      name: 'p0',
      health: 'failing',
      output: 'no answer within 1000 ms',
      sinceMillis: clock.now(),
      durationMillis: 1_000,
    });
    expect(lines).to.deep.equal([
      'info p0 the probe passes: fine',
      'warn p0 the probe fails: no answer within 1000 ms',
    ]);
  });

  it('looks with each probe by itself, once at a time, so that one that hangs delays no other', async () => {
    let looks = 0;
    const hanging: Probe = () => {
      looks += 1;
      return new Promise(() => {});
    };
    start([hanging, async () => pass], 'any');
    await turns();
    clock.advance(500);
    await turns();
    expect(looks).to.equal(1);
    clock.advance(500);
    await turns();
    clock.advance(4_000);
    await turns();
    expect(looks).to.equal(2);
    expect(gate.health).to.equal('passing');
    expect(gate.probes.map(({ health }) => health)).to.deep.equal(['failing', 'passing']);
  });

  it('says once why a node does not pass, and again when it is for another reason', async () => {
    const outputs = ['refused, dial 1', 'refused, dial 2', 'answered 500', 'refused, dial 3'];
    start([async () => ({ passed: false, output: outputs.shift() ?? '' })]);
    await turns();
    for (const _ of [1, 2, 3]) await look();
    expect(outputs).to.deep.equal([]);
    expect(lines).to.deep.equal(['warn p0 a look failed: refused, dial 1', 'warn p0 a look failed: answered 500']);
  });

  it('may begin as passing, and tells nothing after its end', async () => {
    let fail = (_: Error): void => {};
    start([() => new Promise((_, reject) => (fail = reject))], 'all', 'passing');
    expect(gate.health).to.equal('passing');
    await turns();
    gate.close();
    fail(new Error('late'));
    await turns();
    clock.advance(60_000);
    expect(changes).to.deep.equal([]);
    expect(gate.probes[0]?.output).to.equal(undefined);
  });
});
