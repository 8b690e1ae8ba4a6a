import { AddWritePermOfBroker, ResponseCode, WipeWritePermOfBroker } from '@rmqns/protocol';
import { decodeHeader, encodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { RequestHandler } from './request-handler.js';

/** 205: takes a broker's topics from producers until it registers something new (reference: nameserver 2.9, 3.8). */
export const wipeWritePermOfBroker: RequestHandler = ({ routeInfoManager }, request) => {
  const { brokerName } = decodeHeader(WipeWritePermOfBroker.request, request.extFields);
  const wipeTopicCount = brokerName === undefined ? 0 : routeInfoManager.wipeWritePermOfBroker(brokerName);
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(WipeWritePermOfBroker.response, { wipeTopicCount }),
  });
};

/** 327: gives a broker's topics back to producers (reference: nameserver 2.9, 3.8). */
export const addWritePermOfBroker: RequestHandler = ({ routeInfoManager }, request) => {
  const { brokerName } = decodeHeader(AddWritePermOfBroker.request, request.extFields);
  const addTopicCount = brokerName === undefined ? 0 : routeInfoManager.addWritePermOfBroker(brokerName);
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(AddWritePermOfBroker.response, { addTopicCount }),
  });
};
