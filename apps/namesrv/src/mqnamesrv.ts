import { homedir } from 'node:os';
import {
  type AuditRecord,
  createNameServer,
  NamesrvError,
  type ProductEnvironment,
  tlsSettingsOf,
} from '@rmqns/namesrv';
import {
  describeFileError,
  Exit,
  ExitCode,
  endOnSignal,
  type LogOptions,
  openLog,
  type ProgramLog,
  runProgram,
} from '@rmqns/program';
import { type CliArguments, type CliTask, parseCliArguments } from './cli-arguments.js';
import { EventLog } from './event-log.js';
import { loadNamesrvConfig, type NamesrvConfig } from './namesrv-config.js';
import { printConfig, printConfigAsJson } from './print-config.js';
import { printConfigItems } from './print-config-items.js';
import { ConfigReload } from './reload-config.js';
import { describeStartFailure } from './start-failure.js';
import { followTlsSettings } from './tls-settings.js';

async function main(): Promise<void> {
  const args = parseCliArguments(process.argv.slice(2));
  const config = loadConfig(args);
  if (args.task === undefined) return serve(args, config);
  for (const warning of config.warnings) process.stderr.write(`mqnamesrv: ${warning}\n`);
  throw new Exit(ExitCode.OK, carryOut(args.task, args, config), { asked: true });
}

function carryOut(task: CliTask, { configFile }: CliArguments, config: NamesrvConfig): string {
  switch (task) {
    case 'print config items':
      return [...loadedLine(configFile), printConfigItems(config.options)].join('\n');
    case 'print config':
      return printConfig(config);
    case 'print config as json':
      return printConfigAsJson(config);
    case 'check config':
      return 'the configuration can be used';
  }
}

/** Scripts look for it. */
function loadedLine(configFile: string | undefined): string[] {
  return configFile === undefined ? [] : [`load config properties file OK, ${configFile}`];
}

async function serve(args: CliArguments, config: NamesrvConfig): Promise<void> {
  const { options } = config;
  const { log, auditLog } = openLogs(options);
  const { logger } = log;
  for (const line of loadedLine(args.configFile)) log.printLine(line);
  for (const warning of config.warnings) logger.warn(warning);
  if (config.withoutEffect.length > 0)
    logger.info({ keys: config.withoutEffect }, `accepted, no effect: ${config.withoutEffect.join(', ')}`);
  const ignored = [...args.ignored, ...config.ignoredJavaOptions];
  if (ignored.length > 0) logger.info({ ignored }, `ignored, as they mean nothing here: ${ignored.join(' ')}`);

  const nameServer = createNameServer(options, {
    logger,
    fileProperties: config.fileProperties,
    ...(options.clusterTest ? { productEnvironment: await productEnvironment(config) } : {}),
  });
  const eventLog = new EventLog(logger, { isDebug: () => logger.isLevelEnabled('debug') });
  nameServer.on('change', (event) => eventLog.write(event));
  nameServer.on('audit', (record) => writeAuditLine(auditLog?.logger ?? logger, record));
  const reload = new ConfigReload({
    load: () => loadConfig(args),
    started: options,
    running: () => nameServer.options,
    change: (changed) => nameServer.changeOptions(changed),
    logger,
  });
  process.on('SIGHUP', () => reload.reload());
  // Also where there is no file: by default this signal has Node listen for a debugger.
  process.on('SIGUSR1', () => {
    log.reopen();
    auditLog?.reopen();
  });
  endOnSignal({
    program: 'mqnamesrv',
    what: 'the name server',
    log,
    stop: async () => {
      await nameServer.close();
      await auditLog?.close();
    },
    maxStopMillis: () => nameServer.maxCloseMillis,
  });
  followTlsSettings(nameServer, args, config, logger);
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

function loadConfig(args: CliArguments): NamesrvConfig {
  return loadNamesrvConfig(args, process.env, homedir());
}

/** The log, and the record of changes where it has a file of its own. */
function openLogs({ logLevel, logFormat, logPath, auditLogPath }: NamesrvConfig['options']): {
  readonly log: ProgramLog;
  readonly auditLog: ProgramLog | undefined;
} {
  const open = (options: LogOptions): ProgramLog => {
    try {
      return openLog(options);
    } catch (error) {
      const message = `mqnamesrv: cannot open the log file ${options.path}: ${describeFileError(error)}`;
      throw new Exit(ExitCode.FAILED, message, { cause: error });
    }
  };
  const log = open({ level: logLevel, format: logFormat, path: logPath || undefined });
  if (!auditLogPath) return { log, auditLog: undefined };
  return { log, auditLog: open({ level: 'info', format: 'json', path: auditLogPath }) };
}

/** One line for each request that is on record. */
function writeAuditLine(logger: ProgramLog['logger'], record: AuditRecord): void {
  const { peer, code, target, result, remark } = record;
  logger.info({ type: 'audit', peer, code, target, result, remark }, `${code} asked for by ${peer}, code ${result}`);
}

/** Loaded only where it is wanted, which is seldom. */
async function productEnvironment({ options, productAddresses }: NamesrvConfig): Promise<ProductEnvironment> {
  const { ProductNameServers } = await import('./product-name-servers.js');
  const tls = tlsSettingsOf(options);
  return new ProductNameServers({
    ...productAddresses,
    envName: options.productEnvName,
    tls: tls.isClientEnabled ? tls.client : undefined,
  });
}

runProgram('mqnamesrv', main);
