import { createCommandLine, packageVersion, parseCommandLine, readAssignment } from '@rmqns/program';
import type { ConfigSetting } from './config-setting.js';

/** What to do instead of serving. */
export type CliTask = 'print config items' | 'print config' | 'print config as json' | 'check config';

/** What the command line asks for. */
export interface CliArguments {
  readonly configFile: string | undefined;
  /** `undefined`: serve. */
  readonly task: CliTask | undefined;
  /** Pass over values that cannot be, as Apache does. */
  readonly lenient: boolean;
  /** Options set by flags, in the order of the command line. */
  readonly settings: readonly ConfigSetting[];
  /** What Apache takes and ignores. */
  readonly ignored: readonly string[];
}

/** As Apache prints it; tools look for it. */
const apacheUsage = `usage: mqnamesrv [-c <arg>] [-h] [-n <arg>] [-p]
 -c,--configFile <arg>    Name server config properties file
 -h,--help                Print help
 -n,--namesrvAddr <arg>   Name server address list, eg: '192.168.0.1:9876;192.168.0.2:9876'
 -p,--printConfigItem     Print all config items`;

const examples = `
Of Apache's four, -n is accepted and ignored, as there.

Examples:
  mqnamesrv                                  listen on 0.0.0.0:9876
  mqnamesrv -c conf/namesrv.properties       with the options of a file
  mqnamesrv -c f --check-config              say what is wrong with a file, without starting
  mqnamesrv --port 0 --bind 127.0.0.1        on a free port, for this machine only
  mqnamesrv --set profile=4.9.7              with any option that the file may hold
  RMQ_NAMESRV_LISTEN_PORT=9877 mqnamesrv     with an option from the environment

Order: defaults < file < environment < command line < requests while it runs.
Signals: SIGTERM and SIGINT stop, SIGHUP reads the configuration again, SIGUSR1 opens logPath again.
Exit status: 0 stopped, 1 could not start, 64 wrong arguments, 70 internal error, 78 wrong configuration.`;

/**
 * Reads the arguments of `mqnamesrv`: Apache's four options (reference: nameserver 5.2) and ours.
 *
 * @throws Exit for `--help`, `--version` and wrong arguments
 */
export function parseCliArguments(args: readonly string[]): CliArguments {
  const settings: ConfigSetting[] = [];
  const set = (flag: string, key: string) => (text: string) => {
    settings.push({ key, text, source: 'command line', where: `${flag} ` });
  };
  const program = createCommandLine('mqnamesrv');
  const printConfig = program.createOption(
    '--print-config [form]',
    'print every option and where it was set, and end; =json for programs',
  );
  program
    .configureHelp({
      sortOptions: false,
      formatHelp: (command, helper) => {
        const ours = helper.visibleOptions(command).filter(({ short }) => short === undefined);
        const width = Math.max(...ours.map(({ flags }) => flags.length));
        const lines = ours.map((option) => ` ${option.flags.padEnd(width)}   ${option.description}`);
        return [apacheUsage, '', 'Beside these:', ...lines, ''].join('\n');
      },
    })
    // Apache ignores them, too.
    .allowExcessArguments(true)
    .option('-c, --configFile <file>')
    .helpOption('-h, --help')
    .option('-n, --namesrvAddr <addresses>')
    .option('-p, --printConfigItem')
    .option('--port <port>', 'listenPort; 0 takes a free one', set('--port', 'listenPort'))
    .option('--bind <address>', 'bindAddress', set('--bind', 'bindAddress'))
    .option('--set <key=value>', 'set any option; may be repeated', (text: string) =>
      settings.push({ ...readAssignment(text), source: 'command line' }),
    )
    .option('--kv-from-backup', 'start with the .bak of a KV configuration that is torn', () =>
      settings.push({ key: 'kvFromBackup', text: 'true', source: 'command line', where: '--kv-from-backup ' }),
    )
    .option('--check-config', 'say what is wrong with the configuration, and end')
    .addOption(printConfig.choices(['json']))
    .option('--lenient-config', 'pass over values that cannot be, with a warning, as Apache does without one')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent', set('--log-level', 'logLevel'))
    .option('--log-format <format>', 'json or pretty', set('--log-format', 'logFormat'))
    .option('--admin-port <port>', 'not supported yet', set('--admin-port', 'adminPort'))
    .option('--admin-bind <address>', 'not supported yet', set('--admin-bind', 'adminBind'))
    .version(versionText(), '--version', 'print the version')
    .addHelpText('after', examples);
  parseCommandLine(program, args);
  const options = program.opts<ParsedOptions>();
  return {
    configFile: options.configFile,
    task: taskOf(options),
    lenient: options.lenientConfig === true,
    settings,
    ignored: program.args,
  };
}

interface ParsedOptions {
  readonly configFile?: string;
  readonly printConfigItem?: boolean;
  readonly printConfig?: boolean | 'json';
  readonly checkConfig?: boolean;
  readonly lenientConfig?: boolean;
}

function taskOf({ printConfigItem, printConfig, checkConfig }: ParsedOptions): CliTask | undefined {
  if (printConfigItem) return 'print config items';
  if (printConfig !== undefined) return printConfig === 'json' ? 'print config as json' : 'print config';
  return checkConfig ? 'check config' : undefined;
}

function versionText(): string {
  const version = packageVersion(new URL('../../package.json', import.meta.url));
  return `mqnamesrv ${version} (rmqns; answers as Apache RocketMQ 5.3.3; Node.js ${process.version})`;
}
