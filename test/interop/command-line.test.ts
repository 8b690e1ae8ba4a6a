import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ApacheProcesses,
  type ApacheVersion,
  apacheVersions,
  CapturedProcess,
  repositoryRoot,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';

/** A file with what people write wrong or loosely. */
const looseFile = `# comment
listenPort = 98a
enableTopicList=yes
orderMessageEnable= TRUE
clusterTest=false
productEnvName=  a b
scanNotActiveBrokerInterval=0x10
serverWorkerThreads=+3
waitSecondsForService=-0
supportActingMaster
enableAllTopicList=
deleteTopicWithBrokerRegistration=true
needWaitForService:tRuE
serverChannelMaxIdleTimeSeconds=99999999999
own=1
`;

for (const version of apacheVersions) {
  describe(`the command line against the ${version} name server`, () => {
    const apache = useApache(version);
    let directory: TemporaryDirectory;

    before(async () => {
      directory = await TemporaryDirectory.create();
    });
    after(async () => {
      await directory?.[Symbol.asyncDispose]();
    });

    it('prints the same items with -p, in the same order', async () => {
      expect(await printedByOurs(directory, version, '-p')).to.deep.equal(
        await printedByApache(apache, directory, version, '-p'),
      );
    });

    it('reads a loose file leniently as Apache does', async () => {
      const file = join(directory.path, 'loose.properties');
      writeFileSync(file, looseFile);
      expect(await printedByOurs(directory, version, '-c', file, '-p', '--lenient-config')).to.deep.equal(
        await printedByApache(apache, directory, version, '-c', file, '-p'),
      );
    });

    it('prints the same usage with -h, before its own', async () => {
      const theirs = await printedByApache(apache, directory, version, '-h');
      const usage = (await printedByOurs(directory, version, '-h')).slice(0, theirs.length);
      // 4.7.1 has no quotes around the example and prints "item".
      const same = version === '4.7.1' ? (line: string) => line.replaceAll("'", '').replace('items', 'item') : String;
      expect(usage.map(same)).to.deep.equal(theirs);
    });
  });
}

async function printedByApache(
  apache: ApacheProcesses,
  { path }: TemporaryDirectory,
  version: ApacheVersion,
  ...args: readonly string[]
): Promise<string[]> {
  const logback = join(path, 'logback.xml');
  writeFileSync(
    logback,
    '<configuration><appender name="c" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%m%n</pattern></encoder></appender>' +
      '<root level="INFO"><appender-ref ref="c"/></root></configuration>',
  );
  const output = await apache.java(
    version,
    `-Dlogback.configurationFile=${logback}`,
    `-Drmq.logback.configurationFile=file:${logback}`,
    '-Duser.home=/nowhere',
    '-Drocketmq.home.dir=/nowhere',
    'org.apache.rocketmq.namesrv.NamesrvStartup',
    ...args,
  );
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('apache: '));
}

async function printedByOurs(
  { path }: TemporaryDirectory,
  version: ApacheVersion,
  ...args: readonly string[]
): Promise<string[]> {
  const process = new CapturedProcess({
    name: 'our name server',
    command: join(repositoryRoot, 'scripts/mqnamesrv'),
    args: ['--set', `profile=${version}`, ...args],
    cwd: path,
    env: { JAVA_OPT: '-Duser.home=/nowhere -Drocketmq.home.dir=/nowhere' },
  });
  const { code } = await process.waitForExit(20_000);
  expect(code, process.tail()).to.equal(0);
  return process.output.split('\n').filter((line) => line !== '' && !line.startsWith('mqnamesrv: '));
}
