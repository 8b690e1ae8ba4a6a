import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { forkWorker } from '../../src/workers/fork-worker.js';
import type { FromWorker } from '../../src/workers/worker-messages.js';

describe('the process of a worker', () => {
  it('is ended when it gives no sign of life any more', async () => {
    const clock = new ManualClock();
    const told: FromWorker['type'][] = [];
    let exited: (how: string) => void = () => {};
    const exit = new Promise<string>((resolve) => {
      exited = resolve;
    });
    let ready = (): void => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const onMessage = ({ type }: FromWorker): void => {
      told.push(type);
      ready();
    };
    const worker = forkWorker({ onMessage, onExit: (how) => exited(how) }, clock);
    worker.lane.on('error', () => {});
    const settings = { allIdleMillis: 0, maxFrameBytes: 1_024, proxyProtocolFrom: [], version: 479, isDebug: false };
    worker.send({ type: 'start', settings: { ...settings, responseSerializeType: 'request' } });
    await isReady;
    process.kill(worker.pid ?? 0, 'SIGSTOP');
    clock.advance(15_000);
    let isOver = false;
    void exit.then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).to.equal(false);
    clock.advance(5_000);
    expect(await exit).to.equal('was ended by SIGKILL');
    expect(told).to.deep.equal(['ready']);
    expect(clock.pendingTimers).to.equal(0);
    worker.lane.destroy();
  });
});
