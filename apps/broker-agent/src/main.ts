import { Exit, ExitCode, openLog, type ProgramLog, runProgram } from '@rmqns/program';
import { systemClock } from '@rmqns/remoting';
import { Agent } from './agent.js';
import { type AgentConfig, defaultAdmin } from './agent-config.js';
import { agentParts } from './agent-parts.js';
import { type CliArguments, parseCliArguments } from './cli-arguments.js';
import { ConfigFile } from './config-file.js';
import { dryRunReport } from './dry-run-report.js';
import { type EffectiveConfig, loadAgentConfig } from './load-agent-config.js';
import { onceReport } from './once-report.js';
import { startFailure } from './start-failure.js';
import { thisMachine } from './this-machine.js';

async function main(): Promise<void> {
  const args = parseCliArguments(process.argv.slice(2));
  const { configFile } = args;
  if (configFile === undefined)
    throw await status(args, { ...defaultAdmin, port: args.adminPort ?? defaultAdmin.port });
  const file = new ConfigFile(configFile, {
    clock: systemClock,
    onWait: () => void process.stderr.write(`rmq-agent: waiting for the configuration from ${configFile}\n`),
  });
  const load = (): Promise<EffectiveConfig> =>
    loadAgentConfig({ ...args, configFile: file, looksAtFiles: args.mode === 'validate' }, thisMachine(process.env));
  const effective = await load();
  // Where stdout is for the answer, the log has stderr.
  const toStdout = args.mode === 'run';
  const log = openLog({
    level: args.logLevel ?? (toStdout ? 'info' : 'fatal'),
    format: args.logFormat,
    fd: toStdout ? 1 : 2,
  });
  if (args.mode === 'run') {
    const { runAgent } = await import('./run-agent.js');
    return await runAgent(effective, load, log);
  }
  const exit = await answer(args, effective, log);
  await log.close();
  throw exit;
}

/** Everything that is asked for and then over. */
async function answer(args: CliArguments, { config, notes }: EffectiveConfig, log: ProgramLog): Promise<Exit> {
  switch (args.mode) {
    case 'validate':
      return done([...notes, `${args.configFile} can be used`].join('\n'));
    case 'status':
      return await status(args, config.admin);
    case 'unregister':
      return await unregister(config, log);
    default:
      return await show(args, config, log);
  }
}

/** `--once`, `--dry-run` and `topics`. */
async function show({ mode, output }: CliArguments, config: AgentConfig, log: ProgramLog): Promise<Exit> {
  const agent = new Agent({ config, clock: systemClock, logger: log.logger, persist: mode === 'once' });
  const asked = mode === 'once' ? agent.registerOnce() : agent.lookForTopics();
  const round = await asked.catch((error: unknown) => {
    throw startFailure(error, config.stateDirectory);
  });
  const { published } = agent;
  if (published === undefined) {
    const { problem } = agent.status.topics;
    const reason = problem ?? `no topics can be read from ${agent.missingSources.join(', ')}`;
    return new Exit(ExitCode.FAILED, `rmq-agent: ${reason}; nothing was registered`);
  }
  if (mode === 'topics') {
    const { topicsReport } = await import('./topics-report.js');
    return done(topicsReport(config, published, (topic) => agent.sourceOf(topic), output));
  }
  if (round === undefined) return done(dryRunReport(config, published));
  const { source, problem } = agent.status.nameServers;
  if (round.outcomes.length === 0) {
    const reason = `no name server is known by ${source}${problem === undefined ? '' : `, ${problem}`}`;
    return new Exit(ExitCode.FAILED, `rmq-agent: ${reason}; nothing was registered`);
  }
  const all = problem === undefined && round.outcomes.every(({ status }) => status === 'ok');
  const report = onceReport(config, published, round, problem);
  return new Exit(all ? ExitCode.OK : ExitCode.FAILED, report, { asked: true });
}

async function status({ output }: CliArguments, admin: AgentConfig['admin']): Promise<Exit> {
  const { askStatus } = await import('./ask-status.js');
  return await askStatus(admin, output);
}

async function unregister(config: AgentConfig, { logger }: ProgramLog): Promise<Exit> {
  const { takeOutOfAll } = await import('./take-out.js');
  const { nameServers, credentials } = agentParts(config, systemClock, logger);
  return await takeOutOfAll(nameServers, config, credentials);
}

function done(text: string): Exit {
  return new Exit(ExitCode.OK, text, { asked: true });
}

runProgram('rmq-agent', main);
