import { asBuffer } from '../buffer/as-buffer.js';
import { decodeFrame } from '../codec/frame-codec.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { SerializeType } from '../command/serialize-type.js';
import { textOfThrown } from '../errors.js';

/** A whole frame, its four length bytes included, or the command that is or would be in it. */
export type ComparedFrame = Uint8Array | RemotingCommand;

export type FrameField =
  | 'serializeType'
  | 'code'
  | 'language'
  | 'version'
  | 'opaque'
  | 'flag'
  | 'remark'
  | 'extFields'
  | 'body';

export interface FrameComparison {
  /** Fields that may differ, for instance `opaque` and `version`. */
  readonly ignore?: readonly FrameField[] | undefined;
}

const plainFields = ['code', 'language', 'version', 'opaque', 'flag', 'remark'] as const;

/**
 * What tells two frames apart, one text each; none when they say the same. The order of a JSON header's members and of the ext fields says
 * nothing, so it is not compared.
 */
export function frameDifferences(
  actual: ComparedFrame,
  golden: ComparedFrame,
  options: FrameComparison = {},
): string[] {
  const one = read(actual);
  const other = read(golden);
  if (typeof one === 'string') return [`the frame ${one}`];
  if (typeof other === 'string') return [`the golden frame ${other}`];
  const ignored = new Set(options.ignore);
  const differences: string[] = [];
  const compare = (field: string, left: unknown, right: unknown): void => {
    if (left !== right) differences.push(`${field}: ${show(left)}, golden ${show(right)}`);
  };
  if (!ignored.has('serializeType'))
    compare('serializeType', serializeTypeName(one.serializeType), serializeTypeName(other.serializeType));
  for (const field of plainFields) if (!ignored.has(field)) compare(field, one[field], other[field]);
  if (!ignored.has('extFields')) {
    if (one.extFields === undefined || other.extFields === undefined)
      compare('extFields', one.extFields && 'there', other.extFields && 'there');
    const names = new Set([...Object.keys(one.extFields ?? {}), ...Object.keys(other.extFields ?? {})]);
    for (const name of [...names].sort()) compare(`extFields.${name}`, one.extFields?.[name], other.extFields?.[name]);
  }
  if (!ignored.has('body')) differences.push(...bodyDifference(one.body, other.body));
  return differences;
}

function serializeTypeName(type: SerializeType): string {
  return type === SerializeType.JSON ? 'JSON' : 'ROCKETMQ';
}

/** The command in a frame, or what is wrong with the frame. */
export function read(frame: ComparedFrame): RemotingCommand | string {
  if (frame instanceof RemotingCommand) return frame;
  const bytes = asBuffer(frame);
  if (bytes.length < 4) return `has ${bytes.length} bytes, too few for its length`;
  const announced = bytes.readUInt32BE(0);
  if (announced !== bytes.length - 4) return `announces ${announced} bytes, but ${bytes.length - 4} follow`;
  try {
    return decodeFrame(bytes.subarray(4));
  } catch (error) {
    return `does not decode: ${textOfThrown(error)}`;
  }
}

function bodyDifference(one: Uint8Array | undefined, other: Uint8Array | undefined): string[] {
  const left = asBuffer(one ?? new Uint8Array());
  const right = asBuffer(other ?? new Uint8Array());
  if (left.equals(right)) return [];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  return [
    `body: ${left.length} bytes, golden ${right.length}; they part at byte ${at}: ${excerpt(left, at)}, golden ${excerpt(right, at)}`,
  ];
}

function excerpt(bytes: Buffer, at: number): string {
  const part = bytes.subarray(at, at + 16);
  return part.length === 0 ? 'the end' : JSON.stringify(part.toString('latin1'));
}

function show(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? JSON.stringify(value) : String(value);
}
