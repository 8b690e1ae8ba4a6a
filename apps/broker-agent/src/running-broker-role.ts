import { decodePropertiesBytes, parseProperties, RequestCode, ResponseCode } from '@rmqns/protocol';
import { type Clock, CommandError, type Logger, RemotingClient, RemotingCommand, type Timer } from '@rmqns/remoting';
import { parseInt32 } from '@rmqns/remoting/json';
import type { BrokerRole, RoleSource } from './role-source.js';

export interface RunningBrokerRoleOptions {
  /** `host:port` of the broker. */
  readonly address: string;
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
  readonly name: string;
  current: BrokerRole | undefined;
  problem: string | undefined;
  readonly #options: RunningBrokerRoleOptions;
  readonly #client: RemotingClient;
  #timer: Timer | undefined;
  #asking: Promise<void> | undefined;
  #isClosed = false;
  #onChange = (): void => {};

  constructor(options: RunningBrokerRoleOptions) {
    this.name = options.address;
    this.#options = options;
    this.#client = new RemotingClient({ clock: options.clock });
  }

  start(onChange: () => void): void {
    const { clock, periodMillis = 5_000 } = this.#options;
    this.#onChange = onChange;
    this.#timer = clock.setInterval(() => void this.ask(), periodMillis);
    void this.ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#onChange = () => {};
    this.#timer?.cancel();
    void this.#client.destroy();
  }

  /** Asks now; one question does for all who ask meanwhile. Never rejects. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const { logger } = this.#options;
    try {
      const role = await this.#askBroker();
      if (this.problem !== undefined) logger.info({ broker: this.name }, 'the broker tells its role again');
      this.problem = undefined;
      if (role === undefined || JSON.stringify(role) === JSON.stringify(this.current)) return;
      this.current = role;
      this.#onChange();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (this.problem === undefined && !this.#isClosed)
        logger.warn({ broker: this.name, problem }, 'the broker does not tell its role, the last one stays');
      this.problem = problem;
    }
  }

  async #askBroker(): Promise<BrokerRole | undefined> {
    const request = RemotingCommand.request(RequestCode.GET_BROKER_CONFIG);
    const response = await this.#client.invokeSync(this.name, request, TIMEOUT_MILLIS);
    if (response.code !== ResponseCode.SUCCESS)
      throw new CommandError(response.code, response.remark, { address: this.name, opaque: response.opaque, response });
    const { entries } = parseProperties(decodePropertiesBytes(response.body ?? new Uint8Array()));
    const settings = new Map(entries.map(({ key, value }) => [key, value.trim()]));
    const brokerId = parseInt32(settings.get('brokerId') ?? '');
    const brokerPermission = parseInt32(settings.get('brokerPermission') ?? '');
    if (brokerId === undefined || brokerPermission === undefined)
      throw new Error(`${this.name} tells no brokerId and brokerPermission among its ${settings.size} settings`);
    return brokerId < 0 ? undefined : { brokerId, brokerPermission };
  }
}
