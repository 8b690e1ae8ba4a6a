import { addressRangesProblem } from './address-ranges.js';
import { MAX_DELAY_SECONDS, type NamesrvOption } from './option-row.js';

const ours = { upstream: [], since: 'rmqns', effect: 'start' } as const;

/** Keys of rmqns about who may connect and register, and about how it stops. */
export const peerOptionRows = {
  maxConnections: {
    ...ours,
    type: 'int',
    default: 0,
    min: 0,
    meaning: 'How many connections may stand; those above are closed as they come. 0 is any number.',
  },
  proxyProtocolFrom: {
    ...ours,
    type: 'string',
    default: undefined,
    problem: addressRangesProblem,
    meaning:
      'Addresses and ranges (10.0.0.0/8, fd00::/8), separated by commas, of the proxies whose PROXY protocol header says who connects; empty is nobody. By default everyone in profile 5.3.3, as there, until registerAllowCidrs is set, and nobody in 4.x.',
  },
  registerAllowCidrs: {
    ...ours,
    type: 'string',
    default: undefined,
    problem: (text) => addressRangesProblem(text) ?? (text.trim() === '' ? 'names no address' : undefined),
    meaning:
      'Addresses and ranges, separated by commas, from which brokers may register, be heard and leave (codes 103, 104, 217, 322, 904); others get code 16. By default every address.',
  },
  shutdownDelaySeconds: {
    ...ours,
    type: 'int',
    unit: 'seconds',
    default: 0,
    min: 0,
    max: MAX_DELAY_SECONDS,
    meaning:
      'How long a stopping server still listens while it answers route lookups with "name server not ready", so that load balancers notice first.',
  },
} as const satisfies Readonly<Record<string, NamesrvOption>>;
