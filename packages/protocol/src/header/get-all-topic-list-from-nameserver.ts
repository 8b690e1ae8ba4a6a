import { defineCommand } from '@rmqns/remoting/command';
import { topicListBody } from '../body/topic-list.js';
import { RequestCode } from '../request-code.js';

/** The names of all topics (206; reference: nameserver 2.10). The answer's body is a `TopicList`. */
export const GetAllTopicListFromNameserver = defineCommand({
  code: RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
  name: 'GET_ALL_TOPIC_LIST_FROM_NAMESERVER',
  responseBody: topicListBody,
});
