import { defineCommand, t } from '@rmqns/remoting/command';
import { brokerMemberGroupBody } from '../body/broker-member-group.js';
import { RequestCode } from '../request-code.js';

/**
 * The members of a broker group (901, 5.x; reference: nameserver 2.14). Found by broker name alone; unknown or missing: no members.
 * The answer's body is a `BrokerMemberGroup`.
 */
export const GetBrokerMemberGroup = defineCommand({
  code: RequestCode.GET_BROKER_MEMBER_GROUP,
  name: 'GET_BROKER_MEMBER_GROUP',
  request: {
    clusterName: t.string().optional(),
    brokerName: t.string().optional(),
  },
  responseBody: brokerMemberGroupBody,
});
