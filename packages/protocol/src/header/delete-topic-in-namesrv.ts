import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Removes a topic's routes (216; reference: nameserver 2.11). Succeeds also for a topic that is not there. No bodies. */
export const DeleteTopicInNamesrv = defineCommand({
  code: RequestCode.DELETE_TOPIC_IN_NAMESRV,
  name: 'DELETE_TOPIC_IN_NAMESRV',
  request: {
    /** Missing: nothing happens. */
    topic: t.string().optional(),
    /** From 4.9.3: only routes to this cluster's brokers; missing or empty: all. */
    clusterName: t.string().optional(),
  },
});
