import { RequestCode, ResponseCode } from '@rmqns/protocol';
import { RemotingCommand, type RequestContext, type RequestProcessor } from '@rmqns/remoting';
import { auditRecord, isAudited } from './audit.js';
import { getBrokerClusterInfo, getBrokerMemberGroup } from './cluster.js';
import { getRouteInfoByTopic } from './get-route-info-by-topic.js';
import { deleteKvConfig, getKvConfig, getKvListByNamespace, putKvConfig } from './kv-config.js';
import { getNamesrvConfig, updateNamesrvConfig } from './namesrv-config.js';
import { createNamesrvContext, type NamesrvContext, type NamesrvParts } from './namesrv-context.js';
import { brokerHeartbeat, queryDataVersion, registerBroker, unregisterBroker } from './register-broker.js';
import type { RequestHandler } from './request-handler.js';
import { deleteTopicInNamesrv, registerTopicInNamesrv } from './topic-in-namesrv.js';
import {
  getAllTopicListFromNameserver,
  getHasUnitSubTopicList,
  getHasUnitSubUnunitTopicList,
  getSystemTopicListFromNs,
  getTopicsByCluster,
  getUnitTopicList,
} from './topic-list.js';
import { addWritePermOfBroker, wipeWritePermOfBroker } from './write-perm.js';

/**
 * The answer to a code that nobody serves: code 3 in every profile, where 4.x says nothing and lets its caller time out
 * (reference: nameserver 2, "Unsupported codes"). The remark begins with a blank, as upstream's.
 */
const notSupported: RequestHandler = (_context, request) =>
  RemotingCommand.response(ResponseCode.REQUEST_CODE_NOT_SUPPORTED, ` request type ${request.code} not supported`);

/** The 23 codes of a name server (reference: nameserver 2), in their order. */
const dispatchTable: ReadonlyMap<number, RequestHandler> = new Map([
  [RequestCode.PUT_KV_CONFIG, putKvConfig],
  [RequestCode.GET_KV_CONFIG, getKvConfig],
  [RequestCode.DELETE_KV_CONFIG, deleteKvConfig],
  [RequestCode.REGISTER_BROKER, registerBroker],
  [RequestCode.UNREGISTER_BROKER, unregisterBroker],
  [RequestCode.GET_ROUTEINFO_BY_TOPIC, getRouteInfoByTopic],
  [RequestCode.GET_BROKER_CLUSTER_INFO, getBrokerClusterInfo],
  [RequestCode.WIPE_WRITE_PERM_OF_BROKER, wipeWritePermOfBroker],
  [RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, getAllTopicListFromNameserver],
  [RequestCode.DELETE_TOPIC_IN_NAMESRV, deleteTopicInNamesrv],
  [RequestCode.REGISTER_TOPIC_IN_NAMESRV, registerTopicInNamesrv],
  [RequestCode.GET_KVLIST_BY_NAMESPACE, getKvListByNamespace],
  [RequestCode.GET_TOPICS_BY_CLUSTER, getTopicsByCluster],
  [RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS, getSystemTopicListFromNs],
  [RequestCode.GET_UNIT_TOPIC_LIST, getUnitTopicList],
  [RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST, getHasUnitSubTopicList],
  [RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, getHasUnitSubUnunitTopicList],
  [RequestCode.UPDATE_NAMESRV_CONFIG, updateNamesrvConfig],
  [RequestCode.GET_NAMESRV_CONFIG, getNamesrvConfig],
  [RequestCode.QUERY_DATA_VERSION, queryDataVersion],
  [RequestCode.ADD_WRITE_PERM_OF_BROKER, addWritePermOfBroker],
  [RequestCode.GET_BROKER_MEMBER_GROUP, getBrokerMemberGroup],
  [RequestCode.BROKER_HEARTBEAT, brokerHeartbeat],
]);

/**
 * Answers every request to a name server by its code (upstream: `DefaultRequestProcessor`).
 *
 * A request waits for the works that its connection began, and for unregistrations that have been answered, whoever sent them: nobody who
 * heard of a broker's end is told of its routes again, as upstream's 5.x may do.
 */
export class DefaultRequestProcessor implements RequestProcessor {
  readonly #context: NamesrvContext;

  constructor(parts: NamesrvParts) {
    this.#context = createNamesrvContext(parts);
  }

  processRequest(ctx: RequestContext, request: RemotingCommand): RemotingCommand | Promise<RemotingCommand> {
    // They are carried out in their order anyway.
    const isOneOfThem = request.code === RequestCode.UNREGISTER_BROKER;
    const before = isOneOfThem ? undefined : this.#context.unregistrations.settled();
    return before === undefined ? this.#inTurn(ctx, request) : before.then(() => this.#inTurn(ctx, request));
  }

  /** What waited before may have begun more work. */
  #inTurn(ctx: RequestContext, request: RemotingCommand): RemotingCommand | Promise<RemotingCommand> {
    const before = this.#context.slicedWork.after(ctx.channel);
    return before === undefined ? this.#process(ctx, request) : before.then(() => this.#inTurn(ctx, request));
  }

  #process(ctx: RequestContext, request: RemotingCommand): RemotingCommand | Promise<RemotingCommand> {
    return isAudited(request.code) ? this.#audited(ctx, request) : this.#answer(ctx, request);
  }

  #answer(ctx: RequestContext, request: RemotingCommand): RemotingCommand | Promise<RemotingCommand> {
    const handler = dispatchTable.get(request.code) ?? notSupported;
    const refused = this.#context.registrars.refuses(request.code, ctx.channel);
    return refused ?? handler(this.#context, request, ctx.channel);
  }

  async #audited(ctx: RequestContext, request: RemotingCommand): Promise<RemotingCommand> {
    try {
      const response = await this.#answer(ctx, request);
      this.#context.audit(auditRecord(ctx.channel, request, response));
      return response;
    } catch (error) {
      const remark = error instanceof Error ? error.message : String(error);
      this.#context.audit(auditRecord(ctx.channel, request, { code: ResponseCode.SYSTEM_ERROR, remark }));
      throw error;
    }
  }
}
