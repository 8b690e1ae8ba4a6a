import { type ApacheProcesses, type ApacheVersion, apacheVersions, NameServerProcess } from '@rmqns/test-kit';

/** The name server that a suite is about. */
export interface NameServerUnderTest extends AsyncDisposable {
  readonly port: number;
  readonly address: string;
  /** The last lines it printed, for messages. */
  tail(): string;
}

/**
 * Which Apache name server stands in for ours, to see whether a suite itself is right: the version in `RMQNS_INTEROP_CONTROL`. Suites leave
 * out what Apache's cannot be set to do.
 */
export const controlVersion: ApacheVersion | undefined = apacheVersions.find(
  (version) => version === process.env['RMQNS_INTEROP_CONTROL'],
);

/** Starts our name server, or Apache's in a control run, without the settings then. */
export async function startNameServerUnderTest(
  apache: ApacheProcesses,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<NameServerUnderTest> {
  if (controlVersion === undefined) {
    const ours = await NameServerProcess.start({ settings });
    return {
      port: ours.port,
      address: ours.address,
      tail: () => ours.process.tail(),
      [Symbol.asyncDispose]: () => ours[Symbol.asyncDispose](),
    };
  }
  const { port, process: child } = await apache.startNameServer(controlVersion);
  return {
    port,
    address: `127.0.0.1:${port}`,
    tail: () => child.tail(),
    [Symbol.asyncDispose]: async () => {
      await child.stop();
    },
  };
}
