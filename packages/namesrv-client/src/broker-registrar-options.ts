import type { DataVersion, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import {
  type Clock,
  type Logger,
  RemotingError,
  type RpcHook,
  silentLogger,
  type TlsClientOptions,
} from '@rmqns/remoting';
import type { BrokerIdentity } from './broker-identity.js';
import type { NameServerClient } from './name-server-client.js';
import { DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS } from './register-broker-all.js';
import { DEFAULT_UNREGISTER_BROKER_TIMEOUT_MILLIS } from './unregister-broker-all.js';

/** Which broker's messages are imitated. All name servers accept both; a 5.x broker is treated as new by 5.x ones. */
export type BrokerProfile = '4.x' | '5.x';

/** Where the topic table comes from. Its owner changes it, and its data version with every change and never without one. */
export interface TopicSource {
  /** The table as it is now; asked anew for every registration. */
  current(): TopicConfigSerializeWrapper;
  /** Moves the version on and gives it, for a part of the same table; without it no table is split. */
  nextDataVersion?(): DataVersion;
}

/**
 * What becomes of a registration where the name server has our name and id at another address. `overwrite`: it is sent, as by a real
 * broker, and the two take turns. `standBack`: nothing is sent to that name server until the other is gone or `takeOver` is called.
 */
export type ConflictPolicy = 'overwrite' | 'standBack';

/** What a `BrokerRegistrar` is given. Names of upstream's `BrokerConfig` in brackets. */
export interface BrokerRegistrarOptions {
  readonly identity: BrokerIdentity;
  /** `host:port` each; may be empty until `updateNameServerAddressList` is called [namesrvAddr]. */
  readonly nameServerAddressList: readonly string[];
  readonly topics: TopicSource;
  /** Default none. */
  readonly filterServerList?: readonly string[] | undefined;
  /** Default 4.x, which every name server takes. */
  readonly profile?: BrokerProfile | undefined;
  /** Default 30,000; raised to 10,000 and lowered to 60,000 [registerNameServerPeriod]. */
  readonly registerNameServerPeriodMillis?: number | undefined;
  /**
   * For each call and for the barrier of a round; default 6,000 [registerBrokerTimeoutMills]. An own client leaves a connection on which
   * a call got no answer in time when nothing is heard over it for as long again.
   */
  readonly registerBrokerTimeoutMillis?: number | undefined;
  /** How long leaving may take; default 3,000. */
  readonly unregisterBrokerTimeoutMillis?: number | undefined;
  /** Whether the periodic rounds register without asking first whether anything changed; default true [forceRegister]. */
  readonly forceRegister?: boolean | undefined;
  /** Default false. Loses `order` and `topicSysFlag` of topics [compressedRegister]. */
  readonly compressedRegister?: boolean | undefined;
  /** Bits of PermName; what is missing here is taken from all topics as sent. Default 6 [brokerPermission]. */
  readonly brokerPermission?: number | undefined;
  /** A table of more topics goes in requests of so many; default: never [enableSplitRegistration, splitRegistrationSize]. */
  readonly splitRegistrationSize?: number | undefined;
  /**
   * How often a sign of life goes to each name server that has the broker, besides the rounds. Default 1,000 where the identity may act as
   * master, else a third of its `heartbeatTimeoutMillis` where that is shorter than a period, else none [brokerHeartbeatInterval].
   */
  readonly brokerHeartbeatIntervalMillis?: number | undefined;
  /** Default 1,000 [sendHeartbeatTimeoutMillis]. */
  readonly sendHeartbeatTimeoutMillis?: number | undefined;
  /** Whether the sign of life is a oneway 322, which 4.x understands, too, and not a 904. Default true [compatibleWithOldNameSrv]. */
  readonly compatibleWithOldNameSrv?: boolean | undefined;
  /** Default `overwrite`. */
  readonly conflictPolicy?: ConflictPolicy | undefined;
  /** Used, and left open by `shutdown`; its own options say when it leaves a connection that does not answer. Default: an own one. */
  readonly client?: NameServerClient | undefined;
  /** TLS with every name server, by the own client. Default none [useTLS, tls.client.*]. */
  readonly tls?: TlsClientOptions | undefined;
  /** See and may change every request of the own client, in this order, after the zone was added; those that sign come last. */
  readonly rpcHooks?: readonly RpcHook[] | undefined;
  /** For the own client. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Told of what no event tells: rounds and listeners that threw. Default: nobody. */
  readonly logger?: Logger | undefined;
  /**
   * By which share of the period, 0 to 1, chance may lengthen the wait before a lost name server is tried again, which is never longer than
   * 1.5 s: a thousand brokers that lost one at once come back over that time, and not all in the same instant. The rounds are exact. Default 0.1.
   */
  readonly reconnectJitter?: number | undefined;
  /** 0 up to 1, spreads reconnects. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface ResolvedBrokerRegistrarOptions {
  readonly identity: BrokerIdentity;
  readonly topics: TopicSource;
  readonly filterServerList: readonly string[];
  readonly fiveX: boolean;
  readonly registerNameServerPeriodMillis: number;
  readonly registerBrokerTimeoutMillis: number;
  readonly unregisterBrokerTimeoutMillis: number;
  readonly forceRegister: boolean;
  readonly compressedRegister: boolean;
  readonly splitRegistrationSize: number | undefined;
  /** `undefined`: none. */
  readonly heartbeatIntervalMillis: number | undefined;
  readonly sendHeartbeatTimeoutMillis: number;
  readonly compatibleWithOldNameSrv: boolean;
  readonly standsBack: boolean;
  readonly logger: Logger;
  readonly reconnectJitterMillis: number;
  readonly random: () => number;
}

const MIN_PERIOD_MILLIS = 10_000;
const MAX_PERIOD_MILLIS = 60_000;

/** Upstream: `brokerNotActiveTimeoutMillis`. */
const NOT_ACTIVE_MILLIS = 10_000;
/** Upstream: `brokerHeartbeatInterval`. */
const ACTING_MASTER_HEARTBEAT_MILLIS = 1_000;

const MAX_TIMER_MILLIS = 2_147_483_647;

/** @throws RemotingError `INVALID_ARGUMENT` naming every number that cannot be */
export function resolveBrokerRegistrarOptions(options: BrokerRegistrarOptions): ResolvedBrokerRegistrarOptions {
  checkNumbers(options);
  const fiveX = options.profile === '5.x';
  const period = options.registerNameServerPeriodMillis ?? 30_000;
  const registerNameServerPeriodMillis = Math.max(MIN_PERIOD_MILLIS, Math.min(period, MAX_PERIOD_MILLIS));
  const identity = resolveIdentity(options.identity, fiveX);
  return {
    identity,
    topics: options.topics,
    filterServerList: options.filterServerList ?? [],
    fiveX,
    registerNameServerPeriodMillis,
    registerBrokerTimeoutMillis: options.registerBrokerTimeoutMillis ?? DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS,
    unregisterBrokerTimeoutMillis: options.unregisterBrokerTimeoutMillis ?? DEFAULT_UNREGISTER_BROKER_TIMEOUT_MILLIS,
    forceRegister: options.forceRegister ?? true,
    compressedRegister: options.compressedRegister ?? false,
    splitRegistrationSize: options.topics.nextDataVersion === undefined ? undefined : options.splitRegistrationSize,
    heartbeatIntervalMillis:
      options.brokerHeartbeatIntervalMillis ?? defaultHeartbeatMillis(identity, registerNameServerPeriodMillis),
    sendHeartbeatTimeoutMillis: options.sendHeartbeatTimeoutMillis ?? 1_000,
    compatibleWithOldNameSrv: options.compatibleWithOldNameSrv ?? true,
    standsBack: options.conflictPolicy === 'standBack',
    logger: options.logger ?? silentLogger,
    reconnectJitterMillis: (options.reconnectJitter ?? 0.1) * registerNameServerPeriodMillis,
    random: options.random ?? Math.random,
  };
}

/** From 5.x on `enableActingMaster` is always there, and its absence marks an old broker (reference: broker-registration 2.5). */
export function resolveIdentity(identity: BrokerIdentity, fiveX: boolean): BrokerIdentity {
  const enableActingMaster = fiveX ? (identity.enableActingMaster ?? false) : undefined;
  const { heartbeatTimeoutMillis = enableActingMaster === true ? NOT_ACTIVE_MILLIS : undefined } = identity;
  return { ...identity, enableActingMaster, heartbeatTimeoutMillis };
}

function defaultHeartbeatMillis(
  { enableActingMaster, heartbeatTimeoutMillis }: BrokerIdentity,
  periodMillis: number,
): number | undefined {
  if (enableActingMaster === true) return ACTING_MASTER_HEARTBEAT_MILLIS;
  const third = Math.max(1, Math.floor(Number(heartbeatTimeoutMillis ?? Number.POSITIVE_INFINITY) / 3));
  return third < periodMillis ? third : undefined;
}

function checkNumbers(options: BrokerRegistrarOptions): void {
  const { registerNameServerPeriodMillis, registerBrokerTimeoutMillis, unregisterBrokerTimeoutMillis } = options;
  const { splitRegistrationSize, brokerHeartbeatIntervalMillis, sendHeartbeatTimeoutMillis } = options;
  const problems = Object.entries({
    registerNameServerPeriodMillis,
    registerBrokerTimeoutMillis,
    unregisterBrokerTimeoutMillis,
    splitRegistrationSize,
    brokerHeartbeatIntervalMillis,
    sendHeartbeatTimeoutMillis,
  })
    .filter(([, value]) => value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= MAX_TIMER_MILLIS))
    .map(([name, value]) => `${name} must be an integer from 1 to ${MAX_TIMER_MILLIS}, not ${value}`);
  const { reconnectJitter = 0 } = options;
  if (!(reconnectJitter >= 0 && reconnectJitter <= 1))
    problems.push(`reconnectJitter must be a number from 0 to 1, not ${reconnectJitter}`);
  if (problems.length > 0)
    throw new RemotingError('INVALID_ARGUMENT', `options of BrokerRegistrar: ${problems.join('; ')}`);
}
