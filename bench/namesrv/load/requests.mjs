import { brokerAddr, brokerName, CLUSTER } from './topology.mjs';

const OPAQUE_DIGITS = 8;
/** Opaques have eight digits, so that a frame that is ready takes a new one in place. */
export const FIRST_OPAQUE = 10_000_000;
export const OPAQUES = 80_000_000;

export const Code = { REGISTER_BROKER: 103, UNREGISTER_BROKER: 104, GET_ROUTEINFO_BY_TOPIC: 105 };

/** A request without its body, as bytes; `opaqueAt` tells where its opaque is. */
export function requestFrame({ code, version, fields, bodyLength = 0 }) {
  const before = `{"code":${code},"extFields":${JSON.stringify(fields)},"flag":0,"language":"JAVA","opaque":`;
  const header = `${before}${FIRST_OPAQUE},"serializeTypeCurrentRPC":"JSON","version":${version}}`;
  const frame = Buffer.alloc(8 + header.length);
  frame.writeUInt32BE(4 + header.length + bodyLength, 0);
  frame.writeUInt32BE(header.length, 4);
  frame.latin1Write(header, 8);
  return { frame, opaqueAt: 8 + before.length };
}

/** Writes digits so that they end before `end`. */
export function writeDigits(bytes, end, value, digits = OPAQUE_DIGITS) {
  let rest = value;
  for (let at = end - 1; at >= end - digits; at--) {
    bytes[at] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

export function setOpaque({ frame, opaqueAt }, opaque) {
  writeDigits(frame, opaqueAt + OPAQUE_DIGITS, opaque);
}

export function routeRequest(topic, version) {
  return requestFrame({ code: Code.GET_ROUTEINFO_BY_TOPIC, version, fields: { topic } });
}

export function brokerFields(broker) {
  return {
    brokerAddr: brokerAddr(broker),
    brokerId: '0',
    brokerName: brokerName(broker),
    clusterName: CLUSTER,
  };
}

/** What comes before a registration's body. */
export function registrationHead(topology, broker, { bytes, crc, compressed }) {
  const fields = {
    bodyCrc32: String(crc),
    ...brokerFields(broker),
    compressed: String(compressed),
    ...(topology.isFiveX ? { enableActingMaster: 'false' } : {}),
    haServerAddr: `127.0.0.1:${40_000 + broker}`,
  };
  return requestFrame({
    code: Code.REGISTER_BROKER,
    version: topology.version,
    fields,
    bodyLength: bytes.length,
  });
}
