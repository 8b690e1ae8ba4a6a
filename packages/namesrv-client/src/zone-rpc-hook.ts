import type { RemotingCommand, RpcHook } from '@rmqns/remoting';

/** The ext field of every request of a broker in a zone (upstream: `MixAll.ZONE_NAME`). */
const ZONE_NAME = '__ZONE_NAME';

/**
 * Names the broker's zone in every request, as a 5.x broker with `rocketmq.zone` does (upstream: `DynamicalExtFieldRPCHook`). Name servers of
 * 5.x take it from registrations, and leave brokers of other zones out of the routes that clients of a zone ask for.
 */
export class ZoneRpcHook implements RpcHook {
  readonly #zoneName: () => string | undefined;

  /** @param zoneName asked for each request; nothing or blank: none is named */
  constructor(zoneName: () => string | undefined) {
    this.#zoneName = zoneName;
  }

  doBeforeRequest(_remoteAddress: string, request: RemotingCommand): void {
    const zoneName = this.#zoneName();
    if (zoneName === undefined || zoneName.trim() === '') return;
    request.extFields = { ...request.extFields, [ZONE_NAME]: zoneName };
  }
}
