import { type Channel, createExtFields, RemotingCommand, type RequestContext, silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { BatchUnregistration } from '../../src/batch-unregistration.js';
import { NamesrvConfiguration } from '../../src/config/namesrv-configuration.js';
import { EventRecorder } from '../../src/event-recorder.js';
import { KvConfigManager } from '../../src/kvconfig/kv-config-manager.js';
import type { NamesrvEvent } from '../../src/namesrv-event.js';
import { type NamesrvOptions, resolveNamesrvOptions } from '../../src/namesrv-options.js';
import type { AuditRecord } from '../../src/processor/audit.js';
import { DefaultRequestProcessor } from '../../src/processor/default-request-processor.js';
import { Registrars } from '../../src/processor/registrars.js';
import { type ProfileName, profiles } from '../../src/profile.js';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { SlicedWork } from '../../src/sliced-work.js';
import { recordingManager } from '../routeinfo/registration.js';

/** Nothing else of it is asked. */
const firstChannel = { isActive: true, remoteAddress: '10.0.0.1:5' } as Channel;

/** A clock by which every step is a slice of its own. */
class SliceClock extends ManualClock {
  override monotonic(): number {
    this.advance(10);
    return super.monotonic();
  }
}

/** A processor with empty tables, and no connections and files. */
export class ProcessorFixture {
  options: NamesrvOptions;
  readonly manager: RouteInfoManager;
  readonly events: readonly NamesrvEvent[];
  readonly kv = new KvConfigManager();
  readonly audited: AuditRecord[] = [];
  readonly #processor: DefaultRequestProcessor;

  constructor(profileName: ProfileName = '5.3.3', options: NamesrvOptions = {}) {
    this.options = options;
    const profile = profiles[profileName];
    ({ manager: this.manager, events: this.events } = recordingManager(profileName));
    const clock = new ManualClock();
    const slicedWork = new SlicedWork(new SliceClock());
    this.#processor = new DefaultRequestProcessor({
      profile,
      options: () => resolveNamesrvOptions(this.options),
      constructedMillis: 0,
      isStopping: () => false,
      productRoutes: undefined,
      registrars: new Registrars(undefined, clock, silentLogger),
      configuration: new NamesrvConfiguration({
        options: resolveNamesrvOptions(this.options),
        profile,
        events: new EventRecorder(),
      }),
      persistConfig: () => Promise.resolve(),
      clock,
      logger: silentLogger,
      slicedWork,
      unregistrations: new BatchUnregistration({
        capacity: resolveNamesrvOptions(this.options).unRegisterBrokerQueueCapacity,
        unregister: (request) => void this.manager.unregisterBroker(request),
        slicedWork,
        logger: silentLogger,
      }),
      counters: { registrationsRead: 0, registrationsUnchanged: 0 },
      routeInfoManager: this.manager,
      kvConfigManager: this.kv,
      persistKvConfig: () => Promise.resolve(),
      audit: (record) => this.audited.push(record),
    });
  }

  async ask(
    code: number,
    fields: Record<string, string> = {},
    { channel = firstChannel, body }: { readonly channel?: Channel; readonly body?: Uint8Array } = {},
  ): Promise<RemotingCommand> {
    return this.#processor.processRequest(
      { channel } as RequestContext,
      RemotingCommand.request(code, {
        version: this.manager.tables.profile.fiveX ? 479 : 399,
        extFields: createExtFields(fields),
        body,
      }),
    );
  }
}
