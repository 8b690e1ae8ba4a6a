import { decodePropertiesBytes, parseProperties, RequestCode, ResponseCode } from '@rmqns/protocol';
import {
  type Clock,
  CommandError,
  type Logger,
  RemotingClient,
  RemotingCommand,
  type TlsClientOptions,
} from '@rmqns/remoting';
import { parseInt32 } from '@rmqns/remoting/json';
import { PolledValue } from './polled-value.js';
import type { BrokerRole, RoleSource } from './role-source.js';

export interface RunningBrokerRoleOptions {
  /** `host:port` of the broker. */
  readonly address: string;
  /** Default none. */
  readonly tls?: TlsClientOptions | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default 5,000. */
  readonly periodMillis?: number | undefined;
}

const TIMEOUT_MILLIS = 3_000;

/**
 * The role of a running broker, by the settings that it tells (26): brokers that choose their master among themselves, by DLedger or by a
 * controller, have their id of the moment there, and -1 as long as they have none.
 */
export class RunningBrokerRole implements RoleSource {
  readonly #role: PolledValue<BrokerRole>;
  readonly #client: RemotingClient;
  #isClosed = false;

  constructor({ address, tls, clock, logger, periodMillis = 5_000 }: RunningBrokerRoleOptions) {
    const client = new RemotingClient({ tls, clock });
    this.#role = new PolledValue({
      name: address,
      ask: () => askBroker(client, address),
      isSame: (before, now) => JSON.stringify(before) === JSON.stringify(now),
      everyMillis: periodMillis,
      timeoutMillis: TIMEOUT_MILLIS,
      clock,
      logger,
      lines: {
        again: 'the broker tells its role again',
        none: 'the broker does not tell its role',
        stays: 'the broker does not tell its role, the last one stays',
        fields: (broker) => ({ broker }),
      },
    });
    this.#client = client;
  }

  get name(): string {
    return this.#role.name;
  }

  get current(): BrokerRole | undefined {
    return this.#role.current;
  }

  get problem(): string | undefined {
    return this.#role.problem;
  }

  start(onChange: () => void): void {
    // Nobody waits for the first look: its role is told like any later one.
    void this.#role.start(onChange).then(() => {
      if (this.#role.current !== undefined && !this.#isClosed) onChange();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#role.close();
    void this.#client.destroy();
  }

  /** Asks now; one question does for all who ask meanwhile. Never rejects. */
  ask(): Promise<void> {
    return this.#role.look();
  }
}

/** @returns `undefined` as long as it has none */
async function askBroker(client: RemotingClient, address: string): Promise<BrokerRole | undefined> {
  const request = RemotingCommand.request(RequestCode.GET_BROKER_CONFIG);
  const response = await client.invokeSync(address, request, TIMEOUT_MILLIS);
  if (response.code !== ResponseCode.SUCCESS)
    throw new CommandError(response.code, response.remark, { address, opaque: response.opaque, response });
  const { entries } = parseProperties(decodePropertiesBytes(response.body ?? new Uint8Array()));
  const settings = new Map(entries.map(({ key, value }) => [key, value.trim()]));
  const brokerId = parseInt32(settings.get('brokerId') ?? '');
  const brokerPermission = parseInt32(settings.get('brokerPermission') ?? '');
  if (brokerId === undefined || brokerPermission === undefined)
    throw new Error(`${address} tells no brokerId and brokerPermission among its ${settings.size} settings`);
  return brokerId < 0 ? undefined : { brokerId, brokerPermission };
}
