import { defineCommand } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Reads the settings of the name server (319; reference: nameserver 2.12). The answer's body is text, one `key=value` a line. */
export const GetNamesrvConfig = defineCommand({
  code: RequestCode.GET_NAMESRV_CONFIG,
  name: 'GET_NAMESRV_CONFIG',
});
