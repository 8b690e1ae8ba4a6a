import { CommandError, RemotingError } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { fanOut, type NameServerOutcome } from '../src/fan-out.js';

/** Tasks that end when and how the test says. */
class ManualTasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, { resolve: (value: number) => void; reject: (error: Error) => void }>();

  readonly task = (address: string): Promise<number> => {
    this.started.push(address);
    return new Promise((resolve, reject) => this.#ends.set(address, { resolve, reject }));
  };

  async resolve(address: string, value: number): Promise<void> {
    this.#ends.get(address)?.resolve(value);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async reject(address: string, error: Error): Promise<void> {
    this.#ends.get(address)?.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('fanOut', () => {
  it('starts all tasks in the same turn, however many', () => {
    const tasks = new ManualTasks();
    const addresses = Array.from({ length: 50 }, (_, i) => `ns-${i}:9876`);
    void fanOut(addresses, tasks.task, { timeoutMillis: 200, clock: new ManualClock() });
    expect(tasks.started).to.deep.equal(addresses);
  });

  it('gives the outcomes in the order of the addresses and in that of their coming', async () => {
    const clock = new ManualClock();
    const tasks = new ManualTasks();
    const round = fanOut(['a:1', 'b:1', 'c:1'], tasks.task, { timeoutMillis: 200, clock });
    await tasks.resolve('c:1', 3);
    clock.advance(50);
    await tasks.reject('a:1', new CommandError(1, 'no'));
    await tasks.reject('b:1', new RemotingError('TIMEOUT', 'too late'));
    const { outcomes, completed } = await round;
    expect(outcomes.map(({ address, status, durationMillis }) => [address, status, durationMillis])).to.deep.equal([
      ['a:1', 'failed', 50],
      ['b:1', 'timeout', 50],
      ['c:1', 'ok', 0],
    ]);
    expect(completed.map(({ address }) => address)).to.deep.equal(['c:1', 'a:1', 'b:1']);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives what is at hand when the time is up, and tells of the late one without changing it (R4)', async () => {
    const clock = new ManualClock();
    const tasks = new ManualTasks();
    const told: [string, boolean][] = [];
    const onOutcome = ({ address }: NameServerOutcome<number>, late: boolean): unknown => told.push([address, late]);
    const round = fanOut(['a:1', 'b:1', 'c:1'], tasks.task, { timeoutMillis: 200, clock, onOutcome });
    await tasks.resolve('a:1', 1);
    await tasks.resolve('c:1', 3);
    clock.advance(200);
    const result = await round;
    const before = structuredClone(result.outcomes.map(({ status }) => status));
    expect(before).to.deep.equal(['ok', 'timeout', 'ok']);
    expect(result.completed.map(({ result }) => result)).to.deep.equal([1, 3]);
    await tasks.resolve('b:1', 2);
    expect(told).to.deep.equal([
      ['a:1', false],
      ['c:1', false],
      ['b:1', true],
    ]);
    expect(result.outcomes.map(({ status }) => status)).to.deep.equal(before);
    expect(result.completed).to.have.lengthOf(2);
  });

  it('gives any failure the shape of a RemotingError with its address', async () => {
    const tasks = new ManualTasks();
    const round = fanOut(['a:1'], tasks.task, { timeoutMillis: 200, clock: new ManualClock() });
    const cause = new TypeError('a bug');
    await tasks.reject('a:1', cause);
    const [outcome] = (await round).outcomes;
    expect(outcome?.error).to.deep.include({ code: 'SEND_FAILED', address: 'a:1', cause });
  });
});
