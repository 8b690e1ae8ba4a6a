import { join } from 'node:path';
import {
  type ApacheProcesses,
  type ApacheVersion,
  apacheVersions,
  freePort,
  NameServerProcess,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from '../name-server-probe.js';
import { AdminShell } from './admin-shell.js';
import { type AdminCommand, adminCommands, leftOut } from './commands.js';
import { comparableText, type Side } from './printed.js';

/** A name server with two brokers of its own, and mqadmin for it. */
class AdminSide implements Side {
  readonly nameServer: string;
  readonly brokers: ReadonlyMap<string, string>;
  readonly shell: AdminShell;
  readonly #home: string;
  #message = '';

  private constructor(nameServer: string, brokers: ReadonlyMap<string, string>, shell: AdminShell, home: string) {
    this.nameServer = nameServer;
    this.brokers = brokers;
    this.shell = shell;
    this.#home = home;
  }

  static async start(
    apache: ApacheProcesses,
    version: ApacheVersion,
    nameServer: string,
    home: string,
  ): Promise<AdminSide> {
    const brokers = new Map<string, string>();
    // One after the other: the order in which groups came shows where their names have one bucket.
    await using probe = await NameServerProbe.connect(Number(nameServer.split(':')[1]));
    for (const brokerName of ['broker-a', 'broker-b']) {
      const { brokerAddr } = await apache.startBroker(version, nameServer, { brokerName });
      brokers.set(brokerName, brokerAddr);
      await probe.waitForBrokers([...brokers.values()], 30_000);
    }
    return new AdminSide(nameServer, brokers, AdminShell.start(apache, version), home);
  }

  /** What mqadmin prints of a command, as it is compared. */
  async ask(command: AdminCommand): Promise<string> {
    const [verb = '', ...rest] = command.args.map((arg) => this.#fill(arg));
    const text = await this.shell.run(verb, '-n', this.nameServer, ...rest);
    this.#message = /\b[0-9A-F]{32}\b/.exec(verb === 'sendMessage' ? text : '')?.[0] ?? this.#message;
    return comparableText(text.replaceAll(this.#home, '<home>'), this, command);
  }

  #fill(arg: string): string {
    if (arg === 'BROKER') return this.brokers.get('broker-a') ?? '';
    if (arg === 'MESSAGE') return this.#message;
    if (arg === 'EXPORT') return join(this.#home, 'export');
    return arg;
  }
}

for (const version of apacheVersions) {
  describe(`mqadmin of ${version}`, () => {
    const apache = useApache(version);
    let nameServer: NameServerProcess;
    let homes: TemporaryDirectory;
    let theirs: AdminSide;
    let ours: AdminSide;

    before(async function () {
      this.timeout(300_000);
      homes = await TemporaryDirectory.create();
      const { port } = await apache.startNameServer(version);
      nameServer = await NameServerProcess.start({
        port: await freePort(),
        settings: { profile: version, configUpdatePolicy: 'apache', rocketmqHome: homes.path },
      });
      [theirs, ours] = await Promise.all([
        AdminSide.start(apache, version, `127.0.0.1:${port}`, join(homes.path, 'theirs')),
        AdminSide.start(apache, version, nameServer.address, join(homes.path, 'ours')),
      ]);
    });

    after(async () => {
      await nameServer?.[Symbol.asyncDispose]();
      await homes?.[Symbol.asyncDispose]();
    });

    for (const command of adminCommands.filter(({ versions }) => versions.includes(version))) {
      it(`prints of ${command.args.join(' ')} what it prints with Apache's name server`, async () => {
        const [expected, actual] = await Promise.all([theirs.ask(command), ours.ask(command)]);
        expect(actual).to.equal(expected);
      });
    }

    it('has no command that is neither compared nor left out for a reason', async () => {
      const compared = adminCommands.flatMap(({ args, versions }) =>
        versions.includes(version) ? args.slice(0, 1) : [],
      );
      const known = [...compared, ...Object.keys(leftOut)];
      expect((await verbsOf(theirs.shell)).filter((verb) => !known.includes(verb))).to.deep.equal([]);
    });
  });
}

async function verbsOf(shell: AdminShell): Promise<string[]> {
  const list = await shell.run();
  return [...list.matchAll(/^ {3}([a-z]\w+) /gim)].map(([, verb]) => verb ?? '');
}
