import type { Socket } from 'node:net';
import { RemotingServer, WorkQueue } from '@rmqns/remoting';
import { createMemorySockets, ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { HandedOutRoutes } from '../../src/workers/handed-out-routes.js';
import type { ToWorker } from '../../src/workers/worker-messages.js';
import type { WorkerListener } from '../../src/workers/worker-process.js';
import { WorkerSlot } from '../../src/workers/worker-slot.js';
import { recordingLogger, turns } from '../name-server-fixture.js';

/** A process that only notes what it is told, and ends when the test says so. */
interface FakeProcess {
  readonly listener: WorkerListener;
  readonly told: ToWorker['type'][];
  isKilled: boolean;
  isUnreachable: boolean;
}

describe('the place of a worker', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const processes: FakeProcess[] = [];
    const server = new RemotingServer();
    const slot = new WorkerSlot(1, {
      spawn: (listener) => {
        const fake: FakeProcess = { listener, told: [], isKilled: false, isUnreachable: false };
        processes.push(fake);
        return {
          pid: 100 + processes.length,
          lane: createMemorySockets()[0],
          send: ({ type }, _socket, sent) => {
            fake.told.push(type);
            if (fake.isUnreachable) sent?.(new Error('the worker is gone'));
          },
          kill: () => {
            fake.isKilled = true;
          },
        };
      },
      settings: {
        allIdleMillis: 0,
        maxFrameBytes: 1_024,
        proxyProtocolFrom: [],
        version: 479,
        responseSerializeType: 'request',
        isDebug: false,
      },
      server,
      routes: new HandedOutRoutes(),
      lookUp: () => Promise.reject(new Error('not asked')),
      queue: new WorkQueue({ concurrency: 1, queueCapacity: 1, clock }),
      maxFrameBytes: 1_024,
      clock,
      logger,
    });
    const errors = (): (string | undefined)[] =>
      lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    return { clock, slot, processes, server, errors };
  };

  it('starts its process again, each time later, and says so', async () => {
    const { clock, slot, processes, errors } = setUp();
    const started = slot.start();
    processes[0]?.listener.onMessage({ type: 'ready' });
    await started;
    expect(slot.isReady).to.equal(true);
    for (const delayMillis of [100, 200, 400]) {
      processes.at(-1)?.listener.onExit('was ended by SIGKILL');
      expect(slot.isReady).to.equal(false);
      const { length } = processes;
      clock.advance(delayMillis - 1);
      expect(processes).to.have.lengthOf(length);
      clock.advance(1);
      expect(processes).to.have.lengthOf(length + 1);
    }
    expect(errors()[0]).to.equal(
      'worker 1 (pid 101) was ended by SIGKILL; its 0 connections are closed, and it is started again in 100 ms',
    );
    processes.at(-1)?.listener.onMessage({ type: 'ready' });
    clock.advance(60_000);
    processes.at(-1)?.listener.onExit('ended with code 1');
    expect(errors().at(-1)).to.match(/is started again in 100 ms$/);
    const { pid, state, restarts } = await slot.describe();
    expect({ pid, state, restarts }).to.deep.equal({ pid: null, state: 'ended', restarts: 3 });
    await slot.close({ graceMillis: 0, goAwayMillis: 0 });
    expect(clock.pendingTimers).to.equal(0);
    await turns();
  });

  it('waits no longer than 10 s', async () => {
    const { clock, slot, processes, errors } = setUp();
    const started = slot.start();
    for (let attempt = 0; attempt < 9; attempt++) {
      processes.at(-1)?.listener.onExit('could not be started: no memory');
      clock.advance(10_000);
    }
    await started;
    expect(errors().at(-1)).to.match(/in 10000 ms$/);
    expect(processes).to.have.lengthOf(10);
    processes.at(-1)?.listener.onExit('');
    await slot.close({ graceMillis: 0, goAwayMillis: 0 });
  });

  it('has a connection served by the owner that its process cannot be given', async () => {
    const { slot, processes, server } = setUp();
    void slot.start();
    const [running] = processes;
    running?.listener.onMessage({ type: 'ready' });
    const [peer, served] = createMemorySockets();
    slot.lend(served as unknown as Socket);
    expect([slot.connections, server.channels.size]).to.deep.equal([1, 0]);
    if (running !== undefined) running.isUnreachable = true;
    const [another, too] = createMemorySockets();
    slot.lend(too as unknown as Socket);
    expect([slot.connections, server.channels.size]).to.deep.equal([1, 1]);
    running?.listener.onExit('was ended by SIGKILL');
    expect([slot.connections, server.channels.size]).to.deep.equal([0, 1]);
    expect(served.destroyed).to.equal(true);
    const closed = slot.close({ graceMillis: 0, goAwayMillis: 0 });
    await Promise.all([closed, server.destroy()]);
    peer.destroy();
    another.destroy();
  });

  it('asks its process to end, and ends it when it does not', async () => {
    const { clock, slot, processes, errors } = setUp();
    void slot.start();
    const [running] = processes;
    running?.listener.onMessage({ type: 'ready' });
    const closed = slot.close({ graceMillis: 3_000, goAwayMillis: 1_000 });
    expect(running?.told).to.deep.equal(['start', 'stop']);
    clock.advance(4_999);
    expect(running?.isKilled).to.equal(false);
    clock.advance(1);
    expect(running?.isKilled).to.equal(true);
    running?.listener.onExit('was ended by SIGKILL');
    await closed;
    expect(errors()).to.deep.equal([]);
    expect(processes).to.have.lengthOf(1);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('that is closed while its process starts lets who waits for the start go', async () => {
    const { slot, processes } = setUp();
    const started = slot.start();
    const closed = slot.close({ graceMillis: 0, goAwayMillis: 0 });
    processes[0]?.listener.onExit('ended with code 0');
    await Promise.all([started, closed]);
  });
});
