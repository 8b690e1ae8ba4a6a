import { createNameServer, type NameServer } from '@rmqns/namesrv';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { BrokerRegistrar } from '../src/broker-registrar.js';
import type { RegistrationRound } from '../src/broker-registrar-events.js';
import type { BrokerRegistrarOptions } from '../src/broker-registrar-options.js';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicTable } from './broker-fixture.js';
import { ScriptedNameServer } from './scripted-name-server.js';

/** Registrars of one topic table with a clock that stands still, and the servers that they talk to; all ends with it. */
export class RegistrarBench {
  readonly clock = new ManualClock();
  table: TopicConfigSerializeWrapper = topicTable(3, 'T1', 'T2');
  readonly cleanUps: (() => Promise<unknown>)[] = [];

  async scripted(count: number): Promise<[ScriptedNameServer, ...ScriptedNameServer[]]> {
    const servers = await Promise.all(Array.from({ length: count }, () => ScriptedNameServer.start()));
    this.cleanUps.push(() => Promise.all(servers.map((server) => server.destroy())));
    return servers as [ScriptedNameServer, ...ScriptedNameServer[]];
  }

  async nameServer(options: Parameters<typeof createNameServer>[0] = {}): Promise<NameServer> {
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, ...options });
    await server.start();
    this.cleanUps.push(() => server.close());
    return server;
  }

  registrar(
    servers: readonly { readonly address: string }[],
    options: Partial<BrokerRegistrarOptions> = {},
  ): BrokerRegistrar {
    const made = new BrokerRegistrar({
      identity,
      nameServerAddressList: servers.map(({ address }) => address),
      topics: { current: () => this.table },
      clock: this.clock,
      random: () => 0,
      ...options,
    });
    this.cleanUps.push(async () => {
      const left = made.shutdown();
      // What hangs is let go by the clock.
      const timer = setInterval(() => this.clock.advance(3_000), 5);
      await left;
      clearInterval(timer);
    });
    return made;
  }

  ownClient(): NameServerClient {
    const client = new NameServerClient({ clock: this.clock });
    this.cleanUps.push(() => client.remotingClient.destroy());
    return client;
  }

  async passingUntil(millis: number, event: Promise<unknown>): Promise<void> {
    // What an event of the socket started comes first.
    await new Promise((resolve) => setImmediate(resolve));
    this.clock.advance(millis);
    await event;
  }

  async passing(of: BrokerRegistrar, millis: number): Promise<RegistrationRound> {
    const round = nextRound(of);
    this.clock.advance(millis);
    return await round;
  }

  async close(): Promise<void> {
    for (const cleanUp of this.cleanUps.splice(0).reverse()) await cleanUp();
    expect(this.clock.pendingTimers).to.equal(0);
  }
}

export function closed(client: NameServerClient): Promise<void> {
  return new Promise((resolve) => client.remotingClient.once('close', () => resolve()));
}

export function nextRound(of: BrokerRegistrar): Promise<RegistrationRound> {
  return new Promise((resolve) => of.once('round', resolve));
}

export function nextReconnect(of: BrokerRegistrar): Promise<string> {
  return new Promise((resolve) => of.once('reconnect', ({ address }) => resolve(address)));
}
