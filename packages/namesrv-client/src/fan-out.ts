import { type Clock, RemotingError } from '@rmqns/remoting';
import { BrokerConflictError } from './broker-conflict.js';
import { CountDownLatch } from './count-down-latch.js';

/**
 * What became of one name server's request. `ok`: it said yes. `sent`: the oneway request left. `timeout`: no answer in time.
 * `failed`: it said no (`error` is a `CommandError`), could not be reached, or the round was given up (`ABORTED`). `conflict`: nothing was
 * sent, since it has the broker's name and id at another address.
 */
export type OutcomeStatus = 'ok' | 'failed' | 'timeout' | 'sent' | 'conflict';

/** One name server's part of a round. */
export interface NameServerOutcome<Result> {
  readonly address: string;
  readonly status: OutcomeStatus;
  /** With status `ok`. */
  readonly result?: Result | undefined;
  /** With status `failed`, `timeout` and, as `ABORTED`, `conflict`. */
  readonly error?: RemotingError | undefined;
  readonly durationMillis: number;
}

/** What became of a request to several name servers. */
export interface FanOutResult<Result> {
  /** One for each name server, in the order of the addresses. */
  readonly outcomes: readonly NameServerOutcome<Result>[];
  /** Those that came before the barrier, in the order in which they came. */
  readonly completed: readonly NameServerOutcome<Result>[];
}

export interface FanOutOptions<Result> {
  /** How long to wait for all. */
  readonly timeoutMillis: number;
  readonly clock: Clock;
  /** Whether the tasks only send, and success is `sent`. Default false. */
  readonly oneway?: boolean | undefined;
  readonly onOutcome?: OnOutcome<Result> | undefined;
}

/**
 * Told of each outcome as it comes. A late one came after the barrier: what was returned does not change any more. Must not throw.
 */
export type OnOutcome<Result> = (outcome: NameServerOutcome<Result>, late: boolean) => void;

/**
 * Starts a task for every address at once and waits until all have ended or the time is up, whichever is first: no address waits for
 * another (reference: broker-registration 2.3). Tasks that are not done then go on in the background.
 */
export async function fanOut<Result>(
  addresses: readonly string[],
  task: (address: string) => Promise<Result>,
  options: FanOutOptions<Result>,
): Promise<FanOutResult<Result>> {
  const { timeoutMillis, clock, oneway = false, onOutcome } = options;
  const latch = new CountDownLatch(addresses.length);
  const began = clock.monotonic();
  const outcomes = new Array<NameServerOutcome<Result> | undefined>(addresses.length).fill(undefined);
  const completed: NameServerOutcome<Result>[] = [];
  let waiting = true;

  const run = async (address: string, index: number): Promise<void> => {
    const outcome = await outcomeOf(address, task, oneway, clock);
    if (waiting) {
      outcomes[index] = outcome;
      completed.push(outcome);
      latch.countDown();
    }
    onOutcome?.(outcome, !waiting);
  };
  addresses.forEach((address, index) => void run(address, index));

  await latch.await(timeoutMillis, clock);
  waiting = false;
  const durationMillis = clock.monotonic() - began;
  return {
    outcomes: outcomes.map((outcome, index) => outcome ?? unanswered(addresses[index] as string)),
    completed,
  };

  function unanswered(address: string): NameServerOutcome<Result> {
    const message = `${address} did not answer within ${timeoutMillis} ms; the others were not kept waiting by it`;
    return { address, status: 'timeout', error: new RemotingError('TIMEOUT', message, { address }), durationMillis };
  }
}

/** Runs a task and tells what became of it. Never rejects. */
export async function outcomeOf<Result>(
  address: string,
  task: (address: string) => Promise<Result>,
  oneway: boolean,
  clock: Clock,
): Promise<NameServerOutcome<Result>> {
  const began = clock.monotonic();
  try {
    const result = await task(address);
    const durationMillis = clock.monotonic() - began;
    return oneway ? { address, status: 'sent', durationMillis } : { address, status: 'ok', result, durationMillis };
  } catch (thrown) {
    if (thrown instanceof BrokerConflictError) {
      const error = new RemotingError('ABORTED', thrown.message, { address, cause: thrown });
      return { address, status: 'conflict', error, durationMillis: clock.monotonic() - began };
    }
    const error = RemotingError.from(thrown, 'SEND_FAILED', `the request to ${address} failed`, { address });
    const status = error.code === 'TIMEOUT' ? 'timeout' : 'failed';
    return { address, status, error, durationMillis: clock.monotonic() - began };
  }
}
