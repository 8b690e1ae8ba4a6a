import { watchFile } from 'node:fs';
import { homedir } from 'node:os';
import type { NameServer } from '@rmqns/namesrv';
import { Exit } from '@rmqns/program';
import type { Logger } from '@rmqns/remoting';
import type { CliArguments } from './cli-arguments.js';
import { loadNamesrvConfig, type NamesrvConfig } from './namesrv-config.js';

/** How often the file of `tls.config.file` is looked at. Certificates are looked at by the server itself, as often. */
const INTERVAL_MILLIS = 500;

/**
 * Reads the settings of TLS anew when `tls.config.file` changes, and at SIGHUP, and looks at the certificates then. What cannot be used
 * changes nothing; either is said in the log.
 */
export function followTlsSettings(
  nameServer: NameServer,
  args: CliArguments,
  { options }: NamesrvConfig,
  logger: Logger,
): void {
  const reload = async (why: string): Promise<void> => {
    logger.info({ why }, `${why}: the settings of TLS are read anew`);
    try {
      await nameServer.reloadTls(loadNamesrvConfig(args, process.env, homedir()).options);
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      logger.warn({}, `TLS goes on as before: ${error.message}`);
    }
  };
  process.on('SIGHUP', () => void reload('SIGHUP'));
  if (options['tls.server.mode'] === 'disabled') return;
  const path = options['tls.config.file'];
  watchFile(path, { interval: INTERVAL_MILLIS, persistent: false }, (now, before) => {
    // Told once of a file that is not there, too.
    if (now.nlink > 0 || before.nlink > 0) void reload(`${path} changed`);
  });
}
