import fc from 'fast-check';
import { callEndings, EndingsTally } from './call-endings.js';
import { MemoryMoodyServer } from './moody-server.js';
import { type SoakScenario, say } from './soak-report.js';

const TOLD_EVERY_MILLIS = 30_000;

/** Random interleavings in memory, as many lanes at once as share each turn of the event loop. */
export const runCalls: SoakScenario = async (number) => {
  const count = number('count', 10_000);
  const seed = number('seed', Date.now() % 1_000_000_007);
  const lanes = Math.max(1, Math.min(number('lanes', 32), count));
  say(`calls: ${count} interleavings, seed ${seed}, ${lanes} lanes`);
  // Most calls end with an error here, and nobody reads where they were made.
  Error.stackTraceLimit = 0;
  const tally = new EndingsTally();
  const faults: string[] = [];
  const uncaught = (error: unknown): void => void faults.push(`uncaught: ${String(error)}`);
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
  const told = setInterval(() => say(`calls: ${tally.interleavings} so far`), TOLD_EVERY_MILLIS);
  const run = async (lane: number): Promise<void> => {
    const numRuns = Math.floor((count * (lane + 1)) / lanes) - Math.floor((count * lane) / lanes);
    const property = callEndings(() => new MemoryMoodyServer(), tally);
    const details = await fc.check(property, { numRuns, seed: seed + lane });
    if (details.failed) faults.push(`${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  clearInterval(told);
  process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught);
  const { interleavings, steps, calls, endings } = tally;
  const rssMiB = Math.round(process.memoryUsage.rss() / 2 ** 20);
  return { figures: { seed, interleavings, steps, calls, endings, rssMiB }, faults };
};
