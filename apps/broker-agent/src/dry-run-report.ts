import { RequestCode, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { AgentConfig } from './agent-config.js';
import { describeNameServers } from './configured-name-servers.js';
import { registerRequest } from './register-request.js';

/** What `--dry-run` prints: the request that each name server would get, its header fields and its body as JSON. */
export function dryRunReport(config: AgentConfig, wrapper: TopicConfigSerializeWrapper): string {
  const request = registerRequest(config, wrapper, config.register.compressed);
  const { extFields, version } = request.toCommand();
  const json = Buffer.from(registerRequest(config, wrapper, false).body).toString('utf8');
  const form = config.register.compressed
    ? `${request.body.length} bytes, sent deflated; as JSON`
    : `${request.body.length} bytes`;
  return [
    `would send to ${describeNameServers(config)}${config.namesrvTls === undefined ? '' : ', over TLS'}`,
    ...(wrapper.topicConfigTable?.size === 1
      ? ['after the same with an empty table, since it holds exactly one topic']
      : []),
    '',
    `code: ${RequestCode.REGISTER_BROKER} REGISTER_BROKER`,
    `version: ${version}`,
    ...Object.entries(extFields ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(config.namesrvCredentials === undefined
      ? []
      : [
          `AccessKey: ${config.namesrvCredentials.accessKey}`,
          `Signature: made with the secret key of ${config.namesrvCredentials.secretKeyFile} as it is sent`,
        ]),
    '',
    `body (${form}):`,
    json,
  ].join('\n');
}
