import { encodeWireRequest } from '@rmqns/test-kit';

/** How the header of a request is written. */
type HeaderStyle =
  | 'JSON'
  | 'ROCKETMQ'
  /** JSON that only a lenient reader takes: unquoted names, numbers as texts, members nobody knows. */
  | 'lenient';

/** A request over one of the test's connections, which is opened by its first step. */
export interface RequestStep {
  readonly conn: number;
  readonly code: number;
  /** Null: the header has none. */
  readonly extFields: Readonly<Record<string, string>> | null;
  /** UTF-8. */
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly version: number;
  readonly oneway?: true;
  readonly style: HeaderStyle;
}

/** A connection is ended by our side. */
interface CloseStep {
  readonly close: number;
}

/** A broker that said it may be silent for no time to speak of is waited for until it has expired, and its connection was closed. */
interface ExpireStep {
  readonly expire: string;
  readonly conn: number;
}

/** What is done next; plain data, so that a sequence can be printed and played again. */
export type Step = RequestStep | CloseStep | ExpireStep;

export function isRequest(step: Step): step is RequestStep {
  return 'code' in step;
}

const ONEWAY = 2;
const JAVA = 0;

/** The frame of a request. */
export function encodeStep(step: RequestStep, opaque: number): Buffer {
  const body =
    step.bodyBase64 === undefined ? Buffer.from(step.body ?? '', 'utf8') : Buffer.from(step.bodyBase64, 'base64');
  const flag = step.oneway === true ? ONEWAY : 0;
  const { code, version } = step;
  if (step.style === 'JSON') {
    return encodeWireRequest({ code, version, flag, opaque, body, extFields: step.extFields ?? undefined });
  }
  const header = step.style === 'lenient' ? lenientHeader(step, opaque, flag) : binaryHeader(step, opaque, flag);
  const prefix = Buffer.alloc(8);
  prefix.writeInt32BE(4 + header.length + body.length, 0);
  prefix.writeInt32BE(header.length, 4);
  prefix.writeUInt8(step.style === 'ROCKETMQ' ? 1 : 0, 4);
  return Buffer.concat([prefix, header, body]);
}

function lenientHeader({ code, version, extFields }: RequestStep, opaque: number, flag: number): Buffer {
  const ext = extFields === null ? '' : `extFields:${JSON.stringify(extFields)},`;
  return Buffer.from(
    `{code:"${code}",${ext}flag:${flag},'language':"NOBODY",opaque:${opaque},somebody:{"asks":[1,{}]},version:"${version}",remark:null}`,
  );
}

function binaryHeader({ code, version, extFields }: RequestStep, opaque: number, flag: number): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(extFields ?? {})) {
    const [key, text] = [Buffer.from(name), Buffer.from(value)];
    const lengths = Buffer.alloc(6);
    lengths.writeInt16BE(key.length, 0);
    lengths.writeInt32BE(text.length, 2);
    parts.push(lengths.subarray(0, 2), key, lengths.subarray(2), text);
  }
  const ext = Buffer.concat(parts);
  const fixed = Buffer.alloc(21);
  fixed.writeInt16BE(code, 0);
  fixed.writeInt8(JAVA, 2);
  fixed.writeInt16BE(version, 3);
  fixed.writeInt32BE(opaque, 5);
  fixed.writeInt32BE(flag, 9);
  fixed.writeInt32BE(0, 13);
  fixed.writeInt32BE(ext.length, 17);
  return Buffer.concat([fixed, ext]);
}
