import { RequestCode } from '@rmqns/protocol';
import { defineCommand, t } from '@rmqns/remoting/command';

/** 28: the answer's body is a `KvTable`. */
export const GetBrokerRuntimeInfo = defineCommand({
  code: RequestCode.GET_BROKER_RUNTIME_INFO,
  name: 'GET_BROKER_RUNTIME_INFO',
});

/** 26: the answer's body is Java properties, `key=value` and a line feed each. */
export const GetBrokerConfig = defineCommand({
  code: RequestCode.GET_BROKER_CONFIG,
  name: 'GET_BROKER_CONFIG',
  response: { version: t.string() },
});
