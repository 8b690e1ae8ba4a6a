import { defineCommand } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Changes settings of the name server (318; reference: nameserver 2.12). The request's body is `.properties` text. */
export const UpdateNamesrvConfig = defineCommand({
  code: RequestCode.UPDATE_NAMESRV_CONFIG,
  name: 'UPDATE_NAMESRV_CONFIG',
});
