import { defineCommand } from '@rmqns/remoting/command';
import { topicListBody } from '../body/topic-list.js';
import { RequestCode } from '../request-code.js';

/** Topics with the UNIT flag (311; reference: nameserver 2.10). The answer's body is a `TopicList`. */
export const GetUnitTopicList = defineCommand({
  code: RequestCode.GET_UNIT_TOPIC_LIST,
  name: 'GET_UNIT_TOPIC_LIST',
  responseBody: topicListBody,
});
