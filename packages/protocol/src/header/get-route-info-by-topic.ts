import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Where a topic's queues are (105; reference: nameserver 2.7). The answer's body is a `TopicRouteData`. */
export const GetRouteInfoByTopic = defineCommand({
  code: RequestCode.GET_ROUTEINFO_BY_TOPIC,
  name: 'GET_ROUTEINFO_BY_TOPIC',
  request: {
    /** Missing: no such topic; the remark prints it as `null`. */
    topic: t.string().optional(),
    /** From 4.9.4: the caller cannot read unquoted numeric keys. Callers of that version or later need not say so. */
    acceptStandardJsonOnly: t.boolean().optional(),
    /** 5.x: whether to show only brokers of the caller's zone; a raw ext field upstream (reference: nameserver 3.12). */
    __ZONE_MODE: t.boolean().optional(),
    /** 5.x: the caller's zone. */
    __ZONE_NAME: t.string().optional(),
  },
});
