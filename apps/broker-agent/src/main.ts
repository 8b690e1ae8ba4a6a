import { homedir, hostname, networkInterfaces } from 'node:os';
import { describeFileError, Exit, ExitCode, endOnSignal, openLog, type ProgramLog, runProgram } from '@rmqns/program';
import { systemClock } from '@rmqns/remoting';
import { Agent } from './agent.js';
import type { AgentConfig } from './agent-config.js';
import { type CliArguments, parseCliArguments } from './cli-arguments.js';
import { dryRunReport } from './dry-run-report.js';
import { type EffectiveConfig, loadAgentConfig } from './load-agent-config.js';
import { onceReport } from './once-report.js';

async function main(): Promise<void> {
  const args = parseCliArguments(process.argv.slice(2));
  const effective = await loadAgentConfig(args, {
    variables: process.env,
    hostName: hostname(),
    homeDirectory: homedir(),
    networkInterfaces: networkInterfaces(),
  });
  // Where stdout is for the answer, the log has stderr.
  const toStdout = args.mode === 'run';
  const log = openLog({
    level: args.logLevel ?? (toStdout ? 'info' : 'fatal'),
    format: args.logFormat,
    fd: toStdout ? 1 : 2,
  });
  if (args.mode === 'run') await run(effective, log);
  else await answer(args.mode, effective.config, log);
}

/** Runs until a signal comes. */
async function run({ config, notes }: EffectiveConfig, log: ProgramLog): Promise<void> {
  const { logger } = log;
  for (const note of notes) logger.info(note);
  const agent = new Agent({ config, clock: systemClock, logger });
  endOnSignal({ program: 'rmq-agent', what: 'the agent', log, stop: () => agent.stop() });
  await orExit(agent.start(), config).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
}

/** `--once` and `--dry-run`. */
async function answer(mode: CliArguments['mode'], config: AgentConfig, log: ProgramLog): Promise<void> {
  const agent = new Agent({ config, clock: systemClock, logger: log.logger, persist: mode === 'once' });
  const round = mode === 'once' ? await orExit(agent.registerOnce(), config) : await agent.lookForTopics();
  await log.close();
  const { published } = agent;
  if (published === undefined) {
    const sources = agent.missingSources.join(', ');
    throw new Exit(ExitCode.FAILED, `rmq-agent: no topics can be read from ${sources}; nothing was registered`);
  }
  if (round === undefined) throw new Exit(ExitCode.OK, dryRunReport(config, published), { asked: true });
  const all = round.outcomes.every(({ status }) => status === 'ok');
  throw new Exit(all ? ExitCode.OK : ExitCode.FAILED, onceReport(config, published, round), { asked: true });
}

/** Turns the failures that a start may have into one sentence. */
async function orExit<T>(started: Promise<T>, config: AgentConfig): Promise<T> {
  try {
    return await started;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
    const message = `rmq-agent: cannot keep its state in ${config.stateDirectory}: ${describeFileError(error)}`;
    throw new Exit(ExitCode.FAILED, message, { cause: error });
  }
}

runProgram('rmq-agent', main);
