#!/usr/bin/env node
import { homedir } from 'node:os';
import { createNameServer, NamesrvError } from '@rmqns/namesrv';
import { Exit, ExitCode, endOnSignal, openLog, runProgram } from '@rmqns/program';
import { type CliArguments, parseCliArguments } from './cli-arguments.js';
import { EventLog } from './event-log.js';
import { loadNamesrvConfig, printConfigItems } from './namesrv-config.js';
import { describeStartFailure } from './start-failure.js';

async function main(): Promise<void> {
  const args = parseCliArguments(process.argv.slice(2));
  const config = loadNamesrvConfig(args, process.env, homedir());
  if (args.printConfigItem) throw new Exit(ExitCode.OK, printConfigItems(config.options), { asked: true });
  await serve(args, config);
}

async function serve(args: CliArguments, config: ReturnType<typeof loadNamesrvConfig>): Promise<void> {
  const { options } = config;
  const log = openLog({ level: options.logLevel, format: options.logFormat });
  const { logger } = log;
  if (args.configFile !== undefined) log.printLine(`load config properties file OK, ${args.configFile}`);
  for (const warning of config.warnings) logger.warn(warning);
  if (config.withoutEffect.length > 0)
    logger.info({ keys: config.withoutEffect }, `accepted, no effect: ${config.withoutEffect.join(', ')}`);

  const nameServer = createNameServer(options, { logger, fileProperties: config.fileProperties });
  const eventLog = new EventLog(logger, { isDebug: logger.isLevelEnabled('debug') });
  nameServer.on('change', (event) => eventLog.write(event));
  endOnSignal({
    program: 'mqnamesrv',
    what: 'the name server',
    log,
    stop: () => nameServer.close(),
    maxStopMillis: () => nameServer.maxCloseMillis,
  });
  try {
    await nameServer.start();
  } catch (error) {
    // A signal came first: what it began ends the program.
    if (NamesrvError.is(error) && error.code === 'CLOSED') return;
    await log.close();
    const sentence = describeStartFailure(error, options.bindAddress, options.listenPort);
    throw sentence === undefined ? error : new Exit(ExitCode.FAILED, sentence, { cause: error });
  }
  // 4.x ends after JSON; what scripts look for is the beginning.
  log.printLine(
    `The Name Server boot success. serializeType=${options.serializeType ?? 'JSON'}, address ${nameServer.address}`,
  );
}

runProgram('mqnamesrv', main);
