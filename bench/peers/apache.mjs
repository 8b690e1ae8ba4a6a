import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kit = fileURLToPath(new URL('../../test/interop/kit/apache', import.meta.url));

/** Memory and collector as Apache ships them (bin/runserver.sh on a Java after 8). */
const SHIPPED = [
  '-server',
  '-Xms4g',
  '-Xmx4g',
  '-XX:MetaspaceSize=128m',
  '-XX:MaxMetaspaceSize=320m',
  '-XX:+UseG1GC',
  '-XX:G1HeapRegionSize=16m',
  '-XX:G1ReservePercent=25',
  '-XX:InitiatingHeapOccupancyPercent=30',
  '-XX:SoftRefLRUPolicyMSPerMB=0',
];

/** A heap that grows as it must, and the collector that needs the least memory. */
const SMALL = ['-Xms64m', '-Xmx1500m', '-XX:+UseSerialGC'];

const OPEN_PACKAGES = ['java.nio', 'sun.nio.ch', 'java.lang', 'java.util'].flatMap((name) => [
  '--add-opens',
  `java.base/${name}=ALL-UNNAMED`,
]);

/** The folder with a release's jars; the first time on a machine Maven fetches them. */
export function fetchJars(version) {
  const { status, stdout, stderr, error } = spawnSync(kit, ['fetch', version], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the jars of Apache ${version} could not be fetched: ${error?.message ?? stderr}`);
  return stdout.trim();
}

/**
 * How to start Apache's name server on this port: with what it ships of memory, collector and log (asynchronous, to a file, at INFO).
 *
 * @param {{ version: string, port: number, folder: string, isSmall?: boolean }} options `folder` is for its settings and log
 */
export function apacheCommand({ version, port, folder, isSmall = false }) {
  const home = join(folder, `apache-${version}-${port}`);
  mkdirSync(join(home, 'conf'), { recursive: true });
  mkdirSync(join(home, 'logs'), { recursive: true });
  const settings = join(home, 'conf/namesrv.properties');
  const kv = `kvConfigPath=${home}/kvConfig.json`;
  writeFileSync(settings, `listenPort=${port}\nbindAddress=127.0.0.1\n${kv}\n`);
  writeFileSync(join(home, 'conf/logback_namesrv.xml'), logSettings(home));
  return {
    command: 'java',
    args: [
      ...(isSmall ? SMALL : SHIPPED),
      '-XX:-OmitStackTraceInFastThrow',
      '-XX:-UseLargePages',
      ...OPEN_PACKAGES,
      `-Duser.home=${home}`,
      '-cp',
      `${fetchJars(version)}/*`,
      'org.apache.rocketmq.namesrv.NamesrvStartup',
      '-c',
      settings,
    ],
    env: { ...process.env, ROCKETMQ_HOME: home },
  };
}

function logSettings(home) {
  return `<configuration>
  <appender name="file" class="ch.qos.logback.core.FileAppender">
    <file>${home}/logs/namesrv.log</file>
    <append>false</append>
    <encoder><pattern>%d{yyy-MM-dd HH:mm:ss,GMT+8} %p %t - %m%n</pattern></encoder>
  </appender>
  <appender name="async" class="ch.qos.logback.classic.AsyncAppender">
    <discardingThreshold>0</discardingThreshold>
    <appender-ref ref="file"/>
  </appender>
  <root level="INFO"><appender-ref ref="async"/></root>
</configuration>
`;
}
