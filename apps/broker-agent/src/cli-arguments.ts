import {
  createCommandLine,
  packageVersion,
  parseCommandLine,
  readAssignment,
  type Setting,
  wrongArguments,
} from '@rmqns/program';
import { Argument, InvalidArgumentError, Option } from 'commander';

/** What `rmq-agent` can be asked to do. */
type CliMode = 'run' | 'once' | 'dry-run' | CliCommand;

type CliCommand = 'validate' | 'status' | 'unregister' | 'topics';

const commands: readonly CliCommand[] = ['validate', 'status', 'unregister', 'topics'];

/** What the command line asks for. */
export interface CliArguments {
  /** `undefined` only with `status`, which then asks the default port. */
  readonly configFile: string | undefined;
  /** Name servers given with `-n`, separated by `;`; they replace those of the file. */
  readonly namesrvAddr: string | undefined;
  /** Keys set by `--set`, in the order of the command line. */
  readonly settings: readonly Setting[];
  /** What to do; `run` until a signal comes. */
  readonly mode: CliMode;
  /** Of the answer of `status` and `topics`. */
  readonly output: 'table' | 'json';
  /** Instead of the file's; 0: no pages. */
  readonly adminPort: number | undefined;
  /** undefined: `info`, and `warn` where stdout is for an answer. */
  readonly logLevel: string | undefined;
  readonly logFormat: 'json' | 'pretty' | undefined;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const examples = `
Examples:
  rmq-agent -c conf/broker.conf                     register what the broker beside stores
  rmq-agent -c agent.yaml                           with the agent's own configuration
  rmq-agent -c agent.yaml --dry-run                 show what would be sent, and send nothing
  rmq-agent -c agent.yaml --once                    register once, show each name server's answer, end
  rmq-agent validate -c agent.yaml                  say everything that is wrong with it, by file and line
  rmq-agent topics -c agent.yaml                    show the topics that would be sent, and where each is from
  rmq-agent status -c agent.yaml -o json            ask the agent that runs with this file how it is
  rmq-agent unregister -c agent.yaml                take the node out of all name servers, and end
  rmq-agent -c broker.conf -n "ns0:9876;ns1:9876"   with other name servers
  rmq-agent -c broker.conf --set brokerPermission=4 with another value for a key of the file

Order: defaults < environment NAMESRV_ADDR < file < command line.
Exit status: 0 stopped or done, 1 could not start or be done (--once, unregister: with a name server; status: nobody answers or not
ready), 64 wrong arguments, 70 internal error, 78 wrong configuration.`;

/**
 * Reads the arguments of `rmq-agent`.
 *
 * @throws Exit for `--help`, `--version` and wrong arguments
 */
export function parseCliArguments(args: readonly string[]): CliArguments {
  const settings: Setting[] = [];
  const program = createCommandLine('rmq-agent')
    .description('Registers a storage node with RocketMQ name servers, as a real broker would.')
    .addArgument(
      new Argument('[command]', 'validate, topics, status or unregister; by default the agent runs').choices(commands),
    )
    .option('-c, --config-file <file>', "a broker's broker.conf, or the agent's own YAML")
    .option('-n, --namesrv-addr <addresses>', 'name servers as host:port, separated by ";"', atLeastOne)
    .option('--set <key=value>', 'set a key of the file; may be repeated', (text: string) =>
      settings.push(readAssignment(text)),
    )
    .addOption(new Option('--once', 'register with all name servers, print the outcomes, end').conflicts('dryRun'))
    .option('--dry-run', 'print what would be sent, and end without sending')
    .addOption(new Option('-o, --output <form>', 'of status and topics').choices(['table', 'json']).default('table'))
    .option('--admin-port <port>', 'the port of the admin pages, 0 for none', readPort)
    .addOption(new Option('--log-level <level>', `${logLevels.join(', ')}`).choices(logLevels))
    .addOption(new Option('--log-format <format>', 'json or pretty').choices(['json', 'pretty']))
    .helpOption('-h, --help', 'print this text')
    .version(versionText(), '--version', 'print the version')
    .addHelpText('after', examples);
  parseCommandLine(program, args);
  const options = program.opts<{
    configFile?: string;
    namesrvAddr?: string;
    once?: boolean;
    dryRun?: boolean;
    output: 'table' | 'json';
    adminPort?: number;
    logLevel?: string;
    logFormat?: 'json' | 'pretty';
  }>();
  const [command] = program.processedArgs as [CliCommand | undefined];
  if (command !== undefined && (options.once === true || options.dryRun === true))
    throw wrongArguments('rmq-agent', `${command} goes with neither --once nor --dry-run`);
  if (options.configFile === undefined && command !== 'status')
    throw wrongArguments('rmq-agent', 'a configuration file must be given with -c FILE');
  return {
    configFile: options.configFile,
    namesrvAddr: options.namesrvAddr,
    settings,
    mode: command ?? (options.once === true ? 'once' : options.dryRun === true ? 'dry-run' : 'run'),
    output: options.output,
    adminPort: options.adminPort,
    logLevel: options.logLevel,
    logFormat: options.logFormat,
  };
}

function atLeastOne(addresses: string): string {
  if (!/[^;\s]/.test(addresses)) throw new InvalidArgumentError('It names no name server.');
  return addresses;
}

function readPort(port: string): number {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new InvalidArgumentError('It is no port from 0 to 65535.');
  return Number(port);
}

/** Of the package. */
export function agentVersion(): string {
  return packageVersion(new URL('../../package.json', import.meta.url));
}

function versionText(): string {
  return `rmq-agent ${agentVersion()} (rmqns; registers as Apache RocketMQ 4.9.7; Node.js ${process.version})`;
}
