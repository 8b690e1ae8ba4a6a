import { AddWritePermOfBroker, ResponseCode, WipeWritePermOfBroker } from '@rmqns/protocol';
import { decodeHeader, encodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { NamesrvContext } from './namesrv-context.js';
import type { RequestHandler } from './request-handler.js';

/** 205: takes a broker's topics from producers until it registers something new (reference: nameserver 2.9, 3.8). */
export const wipeWritePermOfBroker: RequestHandler = (context, request) => {
  const { brokerName } = decodeHeader(WipeWritePermOfBroker.request, request.extFields);
  return betweenRegistrations(context, brokerName, () => {
    const wipeTopicCount = brokerName === undefined ? 0 : context.routeInfoManager.wipeWritePermOfBroker(brokerName);
    return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
      extFields: encodeHeader(WipeWritePermOfBroker.response, { wipeTopicCount }),
    });
  });
};

/** 327: gives a broker's topics back to producers (reference: nameserver 2.9, 3.8). */
export const addWritePermOfBroker: RequestHandler = (context, request) => {
  const { brokerName } = decodeHeader(AddWritePermOfBroker.request, request.extFields);
  return betweenRegistrations(context, brokerName, () => {
    const addTopicCount = brokerName === undefined ? 0 : context.routeInfoManager.addWritePermOfBroker(brokerName);
    return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
      extFields: encodeHeader(AddWritePermOfBroker.response, { addTopicCount }),
    });
  });
};

/** Does it when no registration of the group is half done, which would put the rest of its topics as they were. */
function betweenRegistrations(
  context: NamesrvContext,
  brokerName: string | undefined,
  answer: () => RemotingCommand,
): RemotingCommand | Promise<RemotingCommand> {
  const before = context.slicedWork.after(brokerName);
  return before === undefined ? answer() : before.then(() => betweenRegistrations(context, brokerName, answer));
}
