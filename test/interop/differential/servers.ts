import { join } from 'node:path';
import { createNameServer, type NamesrvOptions, parseOptionText } from '@rmqns/namesrv';
import { type ApacheProcesses, type ApacheVersion, TemporaryDirectory } from '@rmqns/test-kit';
import { PlayedServer, queuesUnregistrations } from './played-server.js';

/** Settings as in namesrv.properties, for both servers. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Apache's name server and ours, both fresh. */
export interface ServerPair extends AsyncDisposable {
  readonly theirs: PlayedServer;
  readonly ours: PlayedServer;
  /** Of theirs and ours. */
  readonly ports: readonly [number, number];
}

/** Starts both with the same settings, ours with the profile of the release. */
export async function startServerPair(
  apache: ApacheProcesses,
  version: ApacheVersion,
  settings: ServerSettings,
): Promise<ServerPair> {
  const { port, process } = await apache.startNameServer(version, settings);
  const directory = await TemporaryDirectory.create();
  const nameServer = createNameServer({
    profile: version,
    listenPort: 0,
    bindAddress: '127.0.0.1',
    rocketmqHome: directory.path,
    kvConfigPath: join(directory.path, 'kvConfig.json'),
    configStorePath: join(directory.path, 'namesrv.properties'),
    configUpdatePolicy: 'apache',
    ...optionsOf(settings),
  });
  await nameServer.start();
  const theirs = new PlayedServer(port, { queuesUnregistrations: queuesUnregistrations(version) });
  const ownPort = Number(nameServer.address.split(':')[1]);
  const ours = new PlayedServer(ownPort, { queuesUnregistrations: false });
  return {
    theirs,
    ours,
    ports: [port, ownPort],
    [Symbol.asyncDispose]: async () => {
      for (const resource of [theirs, ours, nameServer, directory, process]) await resource[Symbol.asyncDispose]();
    },
  };
}

function optionsOf(settings: ServerSettings): NamesrvOptions {
  const options: Record<string, string | number | boolean> = {};
  for (const [key, text] of Object.entries(settings)) {
    const parsed = parseOptionText(key, text);
    if (parsed.problem !== undefined) throw new Error(`ours has no setting ${key}=${text}: ${parsed.problem.problem}`);
    options[parsed.name] = parsed.value;
  }
  return options;
}
