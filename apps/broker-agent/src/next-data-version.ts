import type { DataVersion } from '@rmqns/protocol';
import { type Long, toLong } from '@rmqns/remoting/json';

const MAX_LONG = 9223372036854775807n;

/**
 * The version of a table that differs from the one with version `previous`. It is newer in every part or the same, even when the clock
 * was set back. Where the source keeps a version of its own that is newer, that one is taken, so that the agent's registrations and a
 * broker's look alike (reference: broker registration 8.4); otherwise the counter moves on by one.
 *
 * @param previous `undefined` for the first table ever
 */
export function nextDataVersion(
  previous: DataVersion | undefined,
  source: DataVersion | undefined,
  nowMillis: number,
): DataVersion {
  if (previous === undefined) return source ?? { timestamp: nowMillis, counter: 0, stateVersion: 0 };
  const counter = previous.counter ?? 0;
  if (source !== undefined && source.counter !== null && source.counter > counter) {
    return {
      timestamp: later(source.timestamp, previous.timestamp),
      counter: source.counter,
      stateVersion: later(source.stateVersion, previous.stateVersion),
    };
  }
  // At the highest counter there is only the time to tell two versions apart.
  const timestamp = BigInt(counter) < MAX_LONG ? previous.timestamp : plusOne(previous.timestamp);
  return { timestamp: later(nowMillis, timestamp), counter: plusOne(counter), stateVersion: previous.stateVersion };
}

/** Whether no version with a higher counter can follow. */
export function isLastDataVersion({ counter }: DataVersion): boolean {
  return BigInt(counter ?? 0) >= MAX_LONG;
}

function later(a: Long, b: Long): Long {
  return a > b ? a : b;
}

/** Never beyond the highest: a counter that turned negative would look old for good. */
function plusOne(value: Long): Long {
  const next = BigInt(value) + 1n;
  return toLong(next > MAX_LONG ? MAX_LONG : next) ?? value;
}
