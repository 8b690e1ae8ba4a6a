import { defineCommand } from '@rmqns/remoting/command';
import { topicListBody } from '../body/topic-list.js';
import { RequestCode } from '../request-code.js';

/** The names of all clusters and brokers, and one broker's address (304; reference: nameserver 2.10). The answer's body is a `TopicList`. */
export const GetSystemTopicListFromNs = defineCommand({
  code: RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS,
  name: 'GET_SYSTEM_TOPIC_LIST_FROM_NS',
  responseBody: topicListBody,
});
