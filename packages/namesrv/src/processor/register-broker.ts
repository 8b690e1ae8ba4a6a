import {
  BrokerHeartbeat,
  decodeDataVersion,
  digestRegisterBrokerBody,
  encodeDataVersion,
  ORDER_TOPIC_CONFIG,
  QueryDataVersion,
  RegisterBroker,
  ResponseCode,
  UnregisterBroker,
} from '@rmqns/protocol';
import {
  bodyPieces,
  type Channel,
  createExtFields,
  decodeHeader,
  encodeHeader,
  type HeaderOutput,
  RemotingCommand,
  releaseBody,
} from '@rmqns/remoting';
import { type BodyKey, type KeptBody, sameBody } from '../routeinfo/kept-body.js';
import type { RegisterBrokerResult } from '../routeinfo/register-broker.js';
import type { UnchangedRegistration } from '../routeinfo/renew-registration.js';
import { allAtOnce, type Steps } from '../sliced-work.js';
import { kvTableBody } from './kv-config.js';
import type { NamesrvContext } from './namesrv-context.js';
import { refuseLongBody } from './refuse-long-body.js';
import { refuseNoNames } from './refuse-text.js';
import { readRegistrationBody } from './registration-body.js';
import type { RequestHandler } from './request-handler.js';

/** 103: a broker registers, which is also its heartbeat (reference: nameserver 2.5). */
export const registerBroker: RequestHandler = (context, request, channel) => {
  const header = decodeHeader(RegisterBroker.request, request.extFields);
  const { clusterName, brokerName, brokerAddr } = header;
  refuseNoNames({ clusterName, brokerName, brokerAddr });
  // Upstream has no release of that number.
  if (request.version < 0) return failed(`the version ${request.version} of the request is none`);
  const pieces = bodyPieces(request);
  const digest = pieces.length > 0 ? digestRegisterBrokerBody(pieces) : undefined;
  if (header.bodyCrc32 !== 0 && header.bodyCrc32 !== (digest?.bodyCrc32 ?? 0)) {
    context.logger.warn(
      { address: channel.remoteAddress, broker: header.brokerName, addr: header.brokerAddr },
      `receive registerBroker request,crc32 not match,from ${channel.remoteAddress}`,
    );
    return failed('crc32 not match');
  }
  const bodyKey = digest && { digest, compressed: header.compressed, requestVersion: request.version };
  const registration = { request, header, bodyKey, channel };
  // Members of a group write the same topics, so that the one that came last must end last.
  const isFirst = context.slicedWork.after(brokerName) === undefined;
  const kept = context.routeInfoManager.keptBody(header);
  const isUnchanged = kept !== undefined && bodyKey !== undefined && sameBody(kept.key, bodyKey);
  const renewed = isUnchanged && isFirst ? renew(context, registration, kept) : undefined;
  if (renewed !== undefined) {
    releaseBody(request);
    return renewed;
  }
  const steps = registerInSteps(context, registration);
  if (isFirst && (isUnchanged || isSmall(pieces))) return allAtOnce(steps);
  const owners = [channel, brokerName];
  return isUnchanged || !isLarge(pieces)
    ? context.slicedWork.run(owners, steps)
    : context.slicedWork.runInLine(owners, steps);
};

/** `undefined` where something differs from the last registration. */
function renew(
  context: NamesrvContext,
  { header, channel }: Registration,
  kept: KeptBody,
): RemotingCommand | undefined {
  const { routeInfoManager, counters, clock } = context;
  const result = routeInfoManager.renewRegistration(placeOf(header, channel), kept, clock.monotonic());
  if (result === undefined) return undefined;
  counters.registrationsUnchanged += 1;
  return answer(context, result);
}

/** What a header says of the broker. */
function placeOf(header: Registration['header'], channel: Channel): UnchangedRegistration {
  return {
    clusterName: header.clusterName,
    brokerName: header.brokerName,
    brokerId: header.brokerId,
    brokerAddr: header.brokerAddr,
    haServerAddr: header.haServerAddr,
    zoneName: header.__ZONE_NAME,
    heartbeatTimeoutMillis:
      header.heartbeatTimeoutMillis === undefined ? undefined : Number(header.heartbeatTimeoutMillis),
    enableActingMaster: header.enableActingMaster,
    connection: channel,
  };
}

/** A larger body, of some 350 topics, would keep everybody waiting for more than a millisecond, and while the code is new to V8 for ten. */
const MAX_BYTES_AT_ONCE = 64 * 1024;
/** The same of a compressed one; brokers' inflate up to 56 times. */
const MAX_DEFLATED_BYTES_AT_ONCE = 16 * 1024;

function isSmall(pieces: readonly Uint8Array[]): boolean {
  return byteLengthOf(pieces) <= (isJson(pieces) ? MAX_BYTES_AT_ONCE : MAX_DEFLATED_BYTES_AT_ONCE);
}

/** What is read of a larger body, some 6,000 topics, is so much that it should not lie around; smaller ones are not to wait for such. */
const LARGE_BYTES = 1024 * 1024;
/** The same of a compressed one. */
const LARGE_DEFLATED_BYTES = 64 * 1024;

function isLarge(pieces: readonly Uint8Array[]): boolean {
  return byteLengthOf(pieces) > (isJson(pieces) ? LARGE_BYTES : LARGE_DEFLATED_BYTES);
}

function byteLengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function isJson(pieces: readonly Uint8Array[]): boolean {
  return pieces[0]?.[0] === OPEN_OBJECT;
}

/** Of JSON. */
const OPEN_OBJECT = 0x7b;

const CONNECTION_ENDED = 'the connection ended before the broker was registered';

/** A registration whose header is in order. */
interface Registration {
  readonly request: RemotingCommand;
  readonly header: HeaderOutput<typeof RegisterBroker.request>;
  readonly bodyKey: BodyKey | undefined;
  readonly channel: Channel;
}

function* registerInSteps(
  context: NamesrvContext,
  { request, header, bodyKey, channel }: Registration,
): Steps<RemotingCommand> {
  const { routeInfoManager, profile, clock } = context;
  // It may have waited for long, and who gave up meanwhile comes again.
  if (!channel.isActive) return failed(CONNECTION_ENDED);
  const options = {
    compressed: header.compressed,
    requestVersion: request.version,
    // What 4.x does not know it does not read, however odd.
    fiveX: profile.fiveX,
    nowMillis: clock.now(),
  };
  const kept = routeInfoManager.keptBody(header);
  let body = yield* readRegistrationBody(request, bodyKey, kept, options);
  yield* routeInfoManager.endLeavingInSteps(header.brokerName);
  // What was left out may have changed between two steps.
  if (routeInfoManager.keptBody(header) !== kept)
    body = yield* readRegistrationBody(request, bodyKey, undefined, options);
  // Its end was told to the tables already, which will not hear of it again.
  if (!channel.isActive) return failed(CONNECTION_ENDED);
  if (body.isUnchanged) context.counters.registrationsUnchanged += 1;
  else context.counters.registrationsRead += 1;
  const registration = {
    ...placeOf(header, channel),
    topicConfigWrapper: body.topicConfigSerializeWrapper,
    filterServerList: body.filterServerList,
    bodyKey: body.bodyKey,
    isUnchanged: body.isUnchanged,
    slices: body.slices,
  };
  return answer(context, yield* routeInfoManager.registerBrokerInSteps(registration, clock.monotonic()));
}

function answer(context: NamesrvContext, result: RegisterBrokerResult): RemotingCommand {
  if (!result.ok) return failed(result.remark);
  // Absent and empty differ: an empty table makes the broker clear the order flag of all its topics, no body leaves them alone.
  const orderTopics = context.options().returnOrderTopicConfigToBroker
    ? kvTableBody(context, ORDER_TOPIC_CONFIG)
    : undefined;
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(RegisterBroker.response, {
      masterAddr: result.masterAddr,
      haServerAddr: result.haServerAddr,
    }),
    body: orderTopics,
  });
}

/** The answer to a registration that changed nothing; it has a header without fields, as upstream's. */
function failed(remark: string): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, remark, { extFields: createExtFields() });
}

/**
 * 104: a broker leaves (reference: nameserver 2.6). In 4.x it is out of the routes before the answer goes. In 5.x the answer goes first; it is
 * out of the routes before anything is answered that comes later ({@link DefaultRequestProcessor}).
 */
export const unregisterBroker: RequestHandler = (context, request) => {
  const header = decodeHeader(UnregisterBroker.request, request.extFields);
  const { clusterName, brokerName, brokerAddr } = header;
  refuseNoNames({ clusterName, brokerName, brokerAddr });
  const { profile, routeInfoManager, slicedWork, unregistrations } = context;
  if (profile.fiveX)
    return RemotingCommand.response(unregistrations.submit(header) ? ResponseCode.SUCCESS : ResponseCode.SYSTEM_ERROR);
  routeInfoManager.unregisterBroker(header);
  const response = RemotingCommand.response(ResponseCode.SUCCESS);
  return slicedWork.after(routeInfoManager)?.then(() => response) ?? response;
};

/**
 * 322: a broker asks whether it must register anew; if not, this was its heartbeat (reference: nameserver 2.13). Without a body 4.x
 * answers code 1, and 5.x that everything has changed.
 */
export const queryDataVersion: RequestHandler = (context, request, channel) => {
  const { clusterName, brokerAddr } = decodeHeader(QueryDataVersion.request, request.extFields);
  refuseNoNames({ clusterName, brokerAddr });
  refuseLongBody(request);
  if (!context.profile.fiveX && (request.body === undefined || request.body.length === 0)) {
    return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'the request has no body; it should be a data version');
  }
  const { changed, dataVersion } = context.routeInfoManager.queryDataVersion(
    { clusterName, brokerAddr },
    decodeDataVersion(request.body, context.clock.now(), context.profile) ?? null,
    channel,
    context.clock.monotonic(),
  );
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(QueryDataVersion.response, { changed }),
    body: dataVersion === undefined ? undefined : encodeDataVersion(dataVersion, context.profile),
  });
};

/** 904: a 5.x broker's heartbeat; it makes no entry and asks for none (reference: nameserver 2.15). */
export const brokerHeartbeat: RequestHandler = (context, request, channel) => {
  const header = decodeHeader(BrokerHeartbeat.request, request.extFields);
  refuseNoNames({ clusterName: header.clusterName, brokerAddr: header.brokerAddr });
  context.routeInfoManager.brokerHeartbeat(header, channel, context.clock.monotonic());
  return RemotingCommand.response(ResponseCode.SUCCESS);
};
