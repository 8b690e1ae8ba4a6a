/** Loaded into a measured server before its own modules: tells its CPU and memory, and, when asked to look, the longest gap of its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from '../harness/ask.mjs';

/** A timer of 1 ms that costs no JavaScript. */
const turns = monitorEventLoopDelay({ resolution: 1 });

answerQuestions({
  usage() {
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() };
  },
  startGaps() {
    turns.reset();
    turns.enable();
  },
  /** Milliseconds, the longest time between two turns of the timer. */
  stopGaps() {
    turns.disable();
    return turns.max / 1e6;
  },
});
