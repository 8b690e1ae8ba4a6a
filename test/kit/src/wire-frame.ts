/**
 * A reading and writing of frames that shares nothing with the code under test, so that it can judge it (reference: remoting 1, 2).
 */

/** A header as it lies on the wire. */
export interface WireHeader {
  readonly code: number;
  readonly language: string | number;
  readonly version: number;
  readonly opaque: number;
  readonly flag: number;
  readonly remark: string | null;
  /** Null where the frame has none. */
  readonly extFields: Readonly<Record<string, string>> | null;
}

/** A frame taken apart. */
export interface WireFrame {
  readonly bytes: Buffer;
  readonly serialize: 'JSON' | 'ROCKETMQ';
  readonly header: WireHeader;
  readonly body: Buffer;
}

/** A request by its parts; all but `code` have defaults. */
export interface WireRequest {
  readonly code: number;
  readonly extFields?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | string | undefined;
  /** Default 479, which is 5.3.3. */
  readonly version?: number | undefined;
  readonly language?: string | undefined;
  readonly opaque?: number | undefined;
  readonly flag?: number | undefined;
  readonly remark?: string | undefined;
}

/** Cuts whole frames off the front of `bytes`; `rest` is the start of the next one. */
export function splitFrames(bytes: Buffer): { frames: Buffer[]; rest: Buffer } {
  const frames: Buffer[] = [];
  let start = 0;
  while (bytes.length - start >= 4) {
    const end = start + 4 + bytes.readInt32BE(start);
    if (end > bytes.length) break;
    frames.push(bytes.subarray(start, end));
    start = end;
  }
  return { frames, rest: bytes.subarray(start) };
}

/** Takes a whole frame apart; throws where it is not one. */
export function decodeWireFrame(bytes: Buffer): WireFrame {
  if (bytes.readInt32BE(0) !== bytes.length - 4) throw new Error('the length before the frame is not its length');
  const headerLength = bytes.readUIntBE(5, 3);
  const kind = bytes.readUInt8(4);
  if (kind > 1) throw new Error(`serialize type ${kind} is unknown`);
  const header = bytes.subarray(8, 8 + headerLength);
  const body = bytes.subarray(8 + headerLength);
  return kind === 0
    ? { bytes, serialize: 'JSON', header: readJsonHeader(header), body }
    : { bytes, serialize: 'ROCKETMQ', header: readBinaryHeader(header), body };
}

/** Writes a request with a JSON header. */
export function encodeWireRequest(request: WireRequest): Buffer {
  const header = Buffer.from(
    JSON.stringify({
      code: request.code,
      extFields: request.extFields,
      flag: request.flag ?? 0,
      language: request.language ?? 'JAVA',
      opaque: request.opaque ?? 0,
      remark: request.remark,
      serializeTypeCurrentRPC: 'JSON',
      version: request.version ?? 479,
    }),
  );
  const body = Buffer.from(request.body ?? '');
  const prefix = Buffer.alloc(8);
  prefix.writeInt32BE(4 + header.length + body.length, 0);
  prefix.writeInt32BE(header.length, 4);
  return Buffer.concat([prefix, header, body]);
}

function readJsonHeader(bytes: Buffer): WireHeader {
  const json = JSON.parse(bytes.toString('utf8')) as Partial<WireHeader>;
  return {
    code: json.code ?? 0,
    language: json.language ?? 'JAVA',
    version: json.version ?? 0,
    opaque: json.opaque ?? 0,
    flag: json.flag ?? 0,
    remark: json.remark ?? null,
    extFields: json.extFields ?? null,
  };
}

function readBinaryHeader(bytes: Buffer): WireHeader {
  let at = 0;
  const text = (length: number): string => {
    if (length < 0 || at + length > bytes.length) throw new Error('a text runs past the end of the binary header');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const int16 = (): number => {
    at += 2;
    return bytes.readInt16BE(at - 2);
  };
  const int32 = (): number => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const code = int16();
  const language = bytes.readUInt8(at++);
  const version = int16();
  const opaque = int32();
  const flag = int32();
  const remarkLength = int32();
  const remark = remarkLength > 0 ? text(remarkLength) : null;
  const fieldsLength = int32();
  const end = at + fieldsLength;
  const extFields: Record<string, string> = {};
  while (at < end) {
    const name = text(int16());
    extFields[name] = text(int32());
  }
  return { code, language, version, opaque, flag, remark, extFields: fieldsLength === 0 ? null : extFields };
}
