/** Loaded into a measured server before its own modules: tells its CPU and memory and, when asked to look, the longest gap of its event loop and where time goes. */
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from '../harness/ask.mjs';

/** A timer of 1 ms that costs no JavaScript. */
const turns = monitorEventLoopDelay({ resolution: 1 });
const PROFILE_MICROS = 100;
let inspector;

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
  async startProfile() {
    inspector = new Session();
    inspector.connect();
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.setSamplingInterval', { interval: PROFILE_MICROS });
    await inspector.post('Profiler.start');
  },
  /** V8's profile since then. */
  async stopProfile() {
    const { profile } = await inspector.post('Profiler.stop');
    inspector.disconnect();
    return profile;
  },
});
