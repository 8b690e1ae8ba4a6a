import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU and resident memory of another process: exact on Linux, by `ps` elsewhere, where CPU counts in hundredths of a second. */
export function usageOf(pid) {
  if (process.platform !== 'linux') return usageByPs(pid);
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const rssBytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  return { cpuMicros: cpuMicrosOf(pid), rssBytes };
}

function cpuMicrosOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop().split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Math.max(threadMicrosOf(pid), (ticks * 1e6) / TICKS_PER_SECOND);
}

/** The threads that there are count exactly; those that have ended are in the ticks alone. */
function threadMicrosOf(pid) {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    } catch {
      // It has ended meanwhile, or the system does not count so.
    }
  }
  return nanos / 1000;
}

function usageByPs(pid) {
  const [rss, time] = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0);
  return { cpuMicros: seconds * 1e6, rssBytes: Number(rss) * 1024 };
}
