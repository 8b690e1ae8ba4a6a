#!/usr/bin/env node
import { homedir, hostname, networkInterfaces } from 'node:os';
import { describeFileError, Exit, ExitCode, onStopSignals, openLog, type ProgramLog, runProgram } from '@rmqns/program';
import { systemClock } from '@rmqns/remoting';
import { Agent } from './agent.js';
import type { AgentConfig } from './agent-config.js';
import { type CliArguments, parseCliArguments } from './cli-arguments.js';
import { dryRunReport } from './dry-run-report.js';
import { type EffectiveConfig, loadAgentConfig } from './load-agent-config.js';
import { onceReport } from './once-report.js';

/** Leaving takes 3 s at most; this is for what nobody thought of. */
const STOP_DEADLINE_MILLIS = 4_500;

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
  const format = args.logFormat ?? (process[toStdout ? 'stdout' : 'stderr'].isTTY ? 'pretty' : 'json');
  const log = openLog(args.logLevel ?? (toStdout ? 'info' : 'fatal'), format, toStdout ? 1 : 2);
  if (args.mode === 'run') await run(effective, log);
  else await answer(args.mode, effective.config, log);
}

/** Runs until a signal comes. */
async function run({ config, notes }: EffectiveConfig, log: ProgramLog): Promise<void> {
  const { logger } = log;
  for (const note of notes) logger.info(note);
  const agent = new Agent({ config, clock: systemClock, logger });
  const end = async (exitCode: ExitCode): Promise<void> => {
    await log.close();
    process.exit(exitCode);
  };
  const stop = async (exitCode: ExitCode): Promise<void> => {
    systemClock.setTimeout(() => {
      logger.error('the agent does not stop cleanly in time');
      void end(exitCode);
    }, STOP_DEADLINE_MILLIS);
    try {
      await agent.stop();
    } catch (error) {
      logger.error({ err: error }, 'the agent did not stop cleanly');
      return end(ExitCode.INTERNAL);
    }
    return end(exitCode);
  };
  onStopSignals(
    process,
    (signal) => {
      logger.info({ signal }, 'the agent stops');
      void stop(ExitCode.OK);
    },
    () => process.exit(ExitCode.OK),
  );
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'internal error, please report it; the agent stops');
    void stop(ExitCode.INTERNAL);
  });
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
