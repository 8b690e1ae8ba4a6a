import { defineCommand } from '@rmqns/remoting/command';
import { topicListBody } from '../body/topic-list.js';
import { RequestCode } from '../request-code.js';

/** Topics with the UNIT_SUB flag but not UNIT (313; reference: nameserver 2.10). The answer's body is a `TopicList`. */
export const GetHasUnitSubUnunitTopicList = defineCommand({
  code: RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST,
  name: 'GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST',
  responseBody: topicListBody,
});
