import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/**
 * A broker makes one topic known (217, 5.x; reference: nameserver 2.16). The request's body is a `TopicRouteData` of which only
 * `queueDatas` counts. Without a topic it does nothing.
 */
export const RegisterTopicInNamesrv = defineCommand({
  code: RequestCode.REGISTER_TOPIC_IN_NAMESRV,
  name: 'REGISTER_TOPIC_IN_NAMESRV',
  request: {
    topic: t.string().optional(),
  },
});
