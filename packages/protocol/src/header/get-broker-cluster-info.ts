import { defineCommand } from '@rmqns/remoting/command';
import { clusterInfoBody } from '../body/cluster-info.js';
import { RequestCode } from '../request-code.js';

/** All clusters, broker groups and addresses (106; reference: nameserver 2.8). The answer's body is a `ClusterInfo`. */
export const GetBrokerClusterInfo = defineCommand({
  code: RequestCode.GET_BROKER_CLUSTER_INFO,
  name: 'GET_BROKER_CLUSTER_INFO',
  responseBody: clusterInfoBody,
});
