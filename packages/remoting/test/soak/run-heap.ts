import { allowedGrowth, heapOfCalls } from './heap-of-calls.js';
import type { SoakScenario } from './soak-report.js';

/** Very many calls of one process: what they leave in its heap. */
export const runHeap: SoakScenario = async (number) => {
  const calls = number('count', 1_000_000);
  const { made, begun, ended } = await heapOfCalls(calls);
  const faults = ended - begun > allowedGrowth(calls) ? [`the heap grew by ${ended - begun} bytes`] : [];
  return { figures: { calls: made, heapAfterATenth: begun, heapAfterAll: ended }, faults };
};
