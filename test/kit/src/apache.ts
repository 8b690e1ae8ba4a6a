import { join } from 'node:path';
import { CapturedProcess } from './captured-process.js';
import { freePort } from './free-port.js';
import { repositoryRoot } from './repository-root.js';
import { TemporaryDirectory } from './temporary-directory.js';

/** The releases of Apache RocketMQ that the interop kit can run. */
export type ApacheVersion = '4.7.1' | '4.9.7' | '5.3.3';

export const apacheVersions: readonly ApacheVersion[] = ['4.7.1', '4.9.7', '5.3.3'];

/** The jars that the interop kit can fetch: those of a release, and those of its proxy apart. */
export type ApacheJars = ApacheVersion | '5.3.3-proxy';

const script = join(repositoryRoot, 'test/interop/kit/apache');
const BOOT_TIMEOUT_MILLIS = 60_000;
const FETCH_TIMEOUT_MILLIS = 280_000;
// A 5.3.3 broker alone takes some ten seconds; three at once on a busy machine have taken more than twenty.
const STOP_TIMEOUT_MILLIS = 90_000;

/** Settings of a broker or name server, as in its configuration file. */
export type ApacheSettings = Readonly<Record<string, string | number | boolean>>;

/** A broker that was started; its `brokerAddr` is what it registers. */
export interface ApacheBroker {
  readonly version: ApacheVersion;
  readonly brokerAddr: string;
  readonly brokerName: string;
  readonly directory: string;
  readonly process: CapturedProcess;
}

/** A name server of Apache's that was started. */
export interface ApacheNameServer {
  readonly version: ApacheVersion;
  readonly port: number;
  readonly process: CapturedProcess;
}

/** A gRPC proxy that was started. */
export interface ApacheProxy {
  /** Where gRPC clients find it, `host:port`. */
  readonly grpcAddress: string;
  readonly process: CapturedProcess;
}

/**
 * Real Apache processes for one test suite, run by the interop kit. Disposing of this object kills those that still run and removes all
 * their files.
 */
export class ApacheProcesses implements AsyncDisposable {
  readonly #processes: CapturedProcess[] = [];
  #directory: TemporaryDirectory | undefined;
  #homes = 0;

  /** Makes sure that the jars are there; the first time on a machine this downloads them. */
  async fetch(version: ApacheJars): Promise<void> {
    const fetch = this.#run(`fetch of ${version}`, ['fetch', version]);
    const { code } = await fetch.waitForExit(FETCH_TIMEOUT_MILLIS);
    if (code !== 0) throw new Error(`the jars of ${version} could not be fetched\n${fetch.tail()}`);
  }

  /** A name server that has said "boot success", on any free port unless one is given. */
  async startNameServer(
    version: ApacheVersion,
    settings: ApacheSettings = {},
    ownPort?: number,
  ): Promise<ApacheNameServer> {
    const port = ownPort ?? (await freePort());
    const process = this.#run(`Apache name server ${version}`, [
      'namesrv',
      version,
      String(port),
      this.#home(),
      ...pairs(settings),
    ]);
    await process.waitForOutput(/boot success/, BOOT_TIMEOUT_MILLIS);
    return { version, port, process };
  }

  /** A broker that has said "boot success", which is not yet registered with the name servers. */
  async startBroker(version: ApacheVersion, namesrvAddr: string, settings: ApacheSettings = {}): Promise<ApacheBroker> {
    const directory = this.#home();
    const process = this.#run(`broker ${version}`, ['broker', version, namesrvAddr, directory, ...pairs(settings)]);
    await process.waitForOutput(/boot success/, BOOT_TIMEOUT_MILLIS);
    const port = process.output.match(/broker \S+ on 127\.0\.0\.1:(\d+)/)?.[1];
    if (port === undefined) throw new Error(`the kit did not tell the broker's port\n${process.tail()}`);
    const brokerName = String(settings['brokerName'] ?? 'broker-a');
    return { version, brokerAddr: `127.0.0.1:${port}`, brokerName, directory, process };
  }

  /** A gRPC proxy of 5.3.3 that has said that it is up; it has asked the name server by then. */
  async startProxy(namesrvAddr: string, settings: ApacheSettings = {}): Promise<ApacheProxy> {
    const process = this.#run('proxy 5.3.3', ['proxy', '5.3.3', namesrvAddr, this.#home(), ...pairs(settings)]);
    await process.waitForOutput(/startup successfully/, BOOT_TIMEOUT_MILLIS);
    const grpcAddress = process.output.match(/proxy \S+ on (127\.0\.0\.1:\d+) \(gRPC\)/)?.[1];
    if (grpcAddress === undefined) throw new Error(`the kit did not tell the proxy's port\n${process.tail()}`);
    return { grpcAddress, process };
  }

  /** Runs an admin command and returns what it printed: its exit code is 0 whatever happened. */
  async mqadmin(version: ApacheVersion, namesrvAddr: string, ...args: readonly string[]): Promise<string> {
    const process = this.#run(`mqadmin ${version} ${args.join(' ')}`, ['mqadmin', version, '-n', namesrvAddr, ...args]);
    await process.waitForExit(60_000);
    return process.output;
  }

  /** Runs a Java source file of the kit; returns its output, or fails with it when the exit code is not 0. */
  async java(version: ApacheVersion, main: string, ...args: readonly string[]): Promise<string> {
    const process = this.#run(`${main} ${version}`, ['java', version, main, ...args]);
    const { code } = await process.waitForExit(120_000);
    if (code !== 0) throw new Error(`${process.name} ended with ${code}\n${process.tail()}`);
    return process.output;
  }

  /** Starts a Java source file of the kit that is driven by lines: each of its stdout goes to `onLine`. */
  startJava(version: ApacheVersion, main: string, onLine: (line: string) => void): CapturedProcess {
    return this.#run(`${main} ${version}`, ['java', version, main], onLine);
  }

  /** Starts a JVM that runs admin commands: each line of its stdin is one, with tabs between its arguments. */
  startAdminShell(version: ApacheVersion, onLine: (line: string) => void): CapturedProcess {
    return this.#run(`mqadmin ${version}`, ['admin', version], onLine);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#processes) await process[Symbol.asyncDispose]();
    await this.#directory?.[Symbol.asyncDispose]();
  }

  /** Where all their files are; made when it is first needed. */
  get #path(): string {
    this.#directory ??= TemporaryDirectory.createSync();
    return this.#directory.path;
  }

  #run(name: string, args: readonly string[], onLine?: (line: string) => void): CapturedProcess {
    const process = new CapturedProcess({
      name,
      command: script,
      args,
      cwd: this.#path,
      env: { ROCKETMQ_INTEROP_LOGS: join(this.#path, 'tools') },
      onLine,
      stopTimeoutMillis: STOP_TIMEOUT_MILLIS,
    });
    this.#processes.push(process);
    return process;
  }

  #home(): string {
    this.#homes += 1;
    return join(this.#path, `home-${this.#homes}`);
  }
}

function pairs(settings: ApacheSettings): string[] {
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}
