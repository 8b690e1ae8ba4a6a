import { defineCommand, t } from '@rmqns/remoting/command';
import { topicListBody } from '../body/topic-list.js';
import { RequestCode } from '../request-code.js';

/** The topics of a cluster (224; reference: nameserver 2.10). The answer's body is a `TopicList`. */
export const GetTopicsByCluster = defineCommand({
  code: RequestCode.GET_TOPICS_BY_CLUSTER,
  name: 'GET_TOPICS_BY_CLUSTER',
  request: {
    /** Unknown or missing: an empty list. */
    cluster: t.string().optional(),
  },
  responseBody: topicListBody,
});
