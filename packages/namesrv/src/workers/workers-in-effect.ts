import type { Logger } from '@rmqns/remoting';
import type { ResolvedNamesrvOptions } from '../namesrv-options.js';

/** How many processes are to serve lookups beside this one, or none. Says why where some are asked for and would have nothing to do. */
export function workersInEffect({ workers, clusterTest, ...options }: ResolvedNamesrvOptions, logger: Logger): number {
  if (workers <= 1) return 0;
  const why = clusterTest
    ? 'a cluster-test server asks others for its routes'
    : options['tls.server.mode'] === 'enforcing'
      ? 'connections with TLS are served by the process that has the tables'
      : undefined;
  if (why === undefined) return workers;
  logger.warn({ workers }, `workers=${workers} has no effect: ${why}`);
  return 0;
}
