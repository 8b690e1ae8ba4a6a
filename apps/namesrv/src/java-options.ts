import type { ConfigSetting } from './config-setting.js';
import type { ProductAddresses } from './product-name-servers.js';

/** System properties that are the defaults of keys in Java (reference: nameserver 5.4). */
const keysByProperty: ReadonlyMap<string, string> = new Map([
  ['rocketmq.home.dir', 'rocketmqHome'],
  ['com.rocketmq.remoting.frameMaxLength', 'maxFrameBytes'],
  ['com.rocketmq.remoting.socket.backlog', 'serverSocketBacklog'],
  ['com.rocketmq.remoting.socket.sndbuf.size', 'serverSocketSndBufSize'],
  ['com.rocketmq.remoting.socket.rcvbuf.size', 'serverSocketRcvBufSize'],
  ['com.rocketmq.remoting.write.buffer.high.water.mark', 'writeBufferHighWaterMark'],
  ['com.rocketmq.remoting.write.buffer.low.water.mark', 'writeBufferLowWaterMark'],
  ['com.rocketmq.remoting.client.worker.size', 'clientWorkerThreads'],
  ['com.rocketmq.remoting.client.connect.timeout', 'connectTimeoutMillis'],
  ['com.rocketmq.remoting.client.channel.maxIdleTimeSeconds', 'clientChannelMaxIdleTimeSeconds'],
  ['com.rocketmq.remoting.client.closeSocketIfTimeout', 'clientCloseSocketIfTimeout'],
  ['com.rocketmq.remoting.clientAsyncSemaphoreValue', 'clientAsyncSemaphoreValue'],
  ['com.rocketmq.remoting.clientOnewaySemaphoreValue', 'clientOnewaySemaphoreValue'],
]);

/** Java's system property for the format of headers, which the file and `--set` may also use as a key. */
export const SERIALIZE_TYPE_PROPERTY = 'rocketmq.serialize.type';

const productProperties: ReadonlySet<string> = new Set([
  'rocketmq.namesrv.addr',
  'rocketmq.namesrv.domain',
  'rocketmq.namesrv.domain.subgroup',
]);

/** What is set for a JVM and means something here. */
export interface JavaOptions {
  /** Defaults of keys, which the file goes over as in Java. */
  readonly defaults: readonly ConfigSetting[];
  /** The format of headers and TLS, which no file of Apache's sets. */
  readonly properties: readonly ConfigSetting[];
  /** How the name servers of the product environment are found (`clusterTest`). */
  readonly productAddresses: ProductAddresses;
  /** `-Duser.home`, under which the default files lie. */
  readonly userHome: string | undefined;
  /** The names of everything else in `JAVA_OPT` and `JAVA_OPT_EXT`. */
  readonly ignored: readonly string[];
}

/**
 * Reads `ROCKETMQ_HOME`, `ROCKETMQ_SERIALIZE_TYPE`, and the system properties in `JAVA_OPT` and `JAVA_OPT_EXT`, by which users of Apache's
 * images set them. A property goes over its variable, and the last of several counts.
 */
export function readJavaOptions(environment: Readonly<Record<string, string | undefined>>): JavaOptions {
  const defaults: ConfigSetting[] = [];
  const properties: ConfigSetting[] = [];
  const product: Record<string, string> = {};
  const ignored: string[] = [];
  let userHome: string | undefined;
  const set = (list: ConfigSetting[], variable: string, key: string, text: string | undefined): void => {
    if (text) list.push({ key, text, source: 'environment', where: `environment ${variable}, ` });
  };
  set(defaults, 'ROCKETMQ_HOME', 'rocketmqHome', environment['ROCKETMQ_HOME']);
  set(properties, 'ROCKETMQ_SERIALIZE_TYPE', 'serializeType', environment['ROCKETMQ_SERIALIZE_TYPE']);
  for (const variable of ['JAVA_OPT', 'JAVA_OPT_EXT'])
    for (const option of (environment[variable] ?? '').split(/\s+/)) {
      const [, name = '', text = ''] = /^-D([^=]+)=(.*)$/.exec(option.replaceAll(/["']/g, '')) ?? [];
      const key = keysByProperty.get(name);
      if (key !== undefined) set(defaults, variable, key, text);
      else if (name === SERIALIZE_TYPE_PROPERTY) set(properties, variable, 'serializeType', text);
      else if (name.startsWith('tls.')) set(properties, variable, name, text);
      else if (productProperties.has(name)) product[name] = text;
      else if (name === 'user.home') userHome = text || undefined;
      // Without the value, which may be a password.
      else if (option !== '') ignored.push(option.replaceAll(/["']|=.*$/g, ''));
    }
  const productAddresses = {
    namesrvAddr: product['rocketmq.namesrv.addr'] || environment['NAMESRV_ADDR'] || undefined,
    domain: product['rocketmq.namesrv.domain'] || undefined,
    subgroup: product['rocketmq.namesrv.domain.subgroup'] || undefined,
  };
  return { defaults, properties, productAddresses, userHome, ignored };
}
