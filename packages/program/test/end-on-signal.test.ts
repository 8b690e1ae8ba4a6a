import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { pino } from 'pino';
import { endOnSignal, type ServiceProcess } from '../src/end-on-signal.js';

/** A process that keeps what became of it, in order. */
class FakeProcess extends EventEmitter implements ServiceProcess {
  readonly story: string[] = [];
  readonly ended: Promise<number>;
  exit: (code: number) => void = () => {};
  kill: () => void = () => {};
  /** When the thread pool is free again. */
  poolFreeAtMillis = 0;
  #nowMillis = 0;

  constructor() {
    super();
    this.ended = new Promise((resolve) => {
      this.exit = (code) => {
        this.story.push(`exit ${code}`);
        resolve(code);
      };
      this.kill = () => {
        this.story.push(`kill at ${this.#nowMillis}`);
        resolve(-9);
      };
    });
  }

  hasPoolRequests(): boolean {
    return this.#nowMillis < this.poolFreeAtMillis;
  }

  monotonic(): number {
    return this.#nowMillis;
  }

  async sleep(millis: number): Promise<void> {
    this.#nowMillis += millis;
  }

  async printError(line: string): Promise<void> {
    this.story.push(`stderr ${line}`);
  }
}

describe('endOnSignal', () => {
  let fake: FakeProcess;
  let logged: Record<string, unknown>[];
  const serve = (stop: () => Promise<void>, maxStopMillis?: () => number): void => {
    const log = {
      logger: pino({ base: null, timestamp: false }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
      printLine: () => {},
      close: async () => void fake.story.push('log closed'),
    };
    endOnSignal({ program: 'mqnamesrv', what: 'the name server', log, stop, maxStopMillis }, fake);
  };
  const stops = async (): Promise<void> => void fake.story.push('stopped');
  beforeEach(() => {
    fake = new FakeProcess();
    logged = [];
  });

  it('stops, closes the log and exits with 0 at a signal', async () => {
    serve(stops);
    fake.emit('SIGTERM');
    await fake.ended;
    expect(fake.story).to.deep.equal(['stopped', 'log closed', 'exit 0']);
    expect(logged).to.deep.equal([{ level: 30, signal: 'SIGTERM', msg: 'the name server stops' }]);
  });

  it('exits at once at a second signal', async () => {
    serve(() => new Promise(() => {}));
    fake.emit('SIGTERM');
    fake.emit('SIGINT');
    expect(await fake.ended).to.equal(0);
    expect(fake.story).to.deep.equal(['exit 0']);
  });

  it('waits for a thread pool that is busy, and exits with 0 once it is free', async () => {
    serve(stops);
    fake.poolFreeAtMillis = 4_400;
    fake.emit('SIGTERM');
    expect(await fake.ended).to.equal(0);
    expect(fake.story).to.deep.equal(['stopped', 'log closed', 'exit 0']);
    expect(fake.monotonic()).to.equal(4_400);
  });

  it('ends by SIGKILL, stopped and logged, when the thread pool hangs for 4.5 s', async () => {
    serve(stops);
    fake.poolFreeAtMillis = Infinity;
    fake.emit('SIGTERM');
    await fake.ended;
    expect(fake.story).to.deep.equal(['stopped', 'log closed', 'kill at 4500']);
  });

  it('waits longer for a service that may take longer to stop', async () => {
    serve(stops, () => 10_000);
    fake.poolFreeAtMillis = Infinity;
    fake.emit('SIGTERM');
    await fake.ended;
    expect(fake.story).to.deep.equal(['stopped', 'log closed', 'kill at 11500']);
  });

  it('ends by SIGKILL at once at a second signal when the thread pool hangs', async () => {
    serve(() => new Promise(() => {}));
    fake.poolFreeAtMillis = Infinity;
    fake.emit('SIGTERM');
    fake.emit('SIGTERM');
    await fake.ended;
    expect(fake.story).to.deep.equal(['kill at 100']);
  });

  it('says in one line that nobody caught an exception, logs its stack, stops, and exits with 70', async () => {
    serve(stops);
    const error = new Error('it broke\n  in two');
    fake.emit('uncaughtException', error);
    expect(await fake.ended).to.equal(70);
    expect(fake.story).to.deep.equal([
      'stderr mqnamesrv: internal error, please report it: it broke in two (its stack is in the log)',
      'stopped',
      'log closed',
      'exit 70',
    ]);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: 60, msg: 'internal error, please report it; the name server stops' });
    expect(logged[0]?.['err']).to.include({ type: 'Error', message: error.message, stack: error.stack });
  });

  it('says once that exceptions were not caught, logs them all, and exits with 70 also when one comes while stopping', async () => {
    serve(async () => {
      fake.emit('uncaughtException', new Error('second'));
      fake.emit('uncaughtException', 'third');
    });
    fake.emit('SIGTERM');
    expect(await fake.ended).to.equal(70);
    expect(fake.story.filter((each) => each.startsWith('stderr'))).to.have.length(1);
    expect(logged.map(({ level }) => level)).to.deep.equal([30, 60, 60]);
  });

  it('exits with 70 when the service does not stop cleanly, and says why in the log', async () => {
    serve(() => Promise.reject(new Error('the disk is gone')));
    fake.emit('SIGINT');
    expect(await fake.ended).to.equal(70);
    expect(logged.at(-1)).to.include({ level: 50, msg: 'the name server did not stop cleanly' });
  });
});
