import { createCommandLine, packageVersion, parseCommandLine, readAssignment, type Setting } from '@rmqns/program';

/** What the command line asks for. */
export interface CliArguments {
  readonly configFile: string | undefined;
  /** Print the effective options and end. */
  readonly printConfigItem: boolean;
  /** Options set by flags, in the order of the command line. */
  readonly settings: readonly Setting[];
}

const examples = `
Examples:
  mqnamesrv                                  listen on 0.0.0.0:9876
  mqnamesrv -c conf/namesrv.properties       with the options of a file
  mqnamesrv --port 0 --bind 127.0.0.1        on a free port, for this machine only
  mqnamesrv --set profile=4.9.7              with any option that the file may hold
  RMQ_NAMESRV_LISTEN_PORT=9877 mqnamesrv     with an option from the environment

Order: defaults < file < environment < command line.
Exit status: 0 stopped, 1 could not start, 64 wrong arguments, 70 internal error, 78 wrong configuration.`;

/**
 * Reads the arguments of `mqnamesrv`: Apache's four options (reference: nameserver 5.2) and ours.
 *
 * @throws Exit for `--help`, `--version` and wrong arguments
 */
export function parseCliArguments(args: readonly string[]): CliArguments {
  const settings: Setting[] = [];
  const set = (flag: string, key: string) => (text: string) => {
    settings.push({ key, text, where: `${flag} ` });
  };
  const program = createCommandLine('mqnamesrv')
    // Tools look for this line as Apache prints it; ours follow in the list of options.
    .configureHelp({
      commandUsage: () => 'mqnamesrv [-c <arg>] [-h] [-n <arg>] [-p]',
      styleTitle: (title) => (title === 'Usage:' ? 'usage:' : title),
      sortOptions: false,
    })
    .description('A NameServer for Apache RocketMQ.')
    .option('-c, --configFile <file>', 'read options from a .properties file')
    .helpOption('-h, --help', 'print this text')
    .option('-n, --namesrvAddr <addresses>', 'accepted and ignored, as in Apache')
    .option('-p, --printConfigItem', 'print the effective options and end')
    .option('--port <port>', 'listenPort; 0 takes a free one', set('--port', 'listenPort'))
    .option('--bind <address>', 'bindAddress', set('--bind', 'bindAddress'))
    .option('--set <key=value>', 'set any option; may be repeated', (text: string) =>
      settings.push(readAssignment(text)),
    )
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent', set('--log-level', 'logLevel'))
    .option('--log-format <format>', 'json or pretty', set('--log-format', 'logFormat'))
    .version(versionText(), '--version', 'print the version')
    .addHelpText('after', examples);
  parseCommandLine(program, args);
  const { configFile, printConfigItem } = program.opts<{ configFile?: string; printConfigItem?: boolean }>();
  return { configFile, printConfigItem: printConfigItem === true, settings };
}

function versionText(): string {
  const version = packageVersion(new URL('../../package.json', import.meta.url));
  return `mqnamesrv ${version} (rmqns; answers as Apache RocketMQ 5.3.3; Node.js ${process.version})`;
}
