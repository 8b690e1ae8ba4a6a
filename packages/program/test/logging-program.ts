import { endOnSignal, openLog, runProgram } from '../src/index.js';

// Logs as many lines of 1,000 characters as its argument says, then says on stderr that its event loop still turns.
runProgram('logging-program', async () => {
  const log = openLog({ level: 'info', format: 'json' });
  const forever = setInterval(() => {}, 1_000);
  endOnSignal({ program: 'logging-program', what: 'it', log, stop: async () => clearInterval(forever) });
  for (let i = 0; i < Number(process.argv[2]); i++) log.logger.info({ i }, 'x'.repeat(1_000));
  setImmediate(() => process.stderr.write('ready\n'));
});
