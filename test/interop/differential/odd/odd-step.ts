/** A member of a JSON header as it is written: its name and its value, both raw. */
export type RawMember = readonly [name: string, value: string];

/** A request that nobody's library would write. */
export interface OddStep {
  readonly conn: number;
  readonly code: number;
  readonly opaque: number;
  /** What it is, for people. */
  readonly note: string;
  /** What is sent: its header as text, or in base64 where it is binary, and its body in base64. */
  readonly header: string;
  readonly binary: boolean;
  readonly body: string;
}

/** Steps about names that no other scenario has. */
export interface OddScenario {
  /** In every name of it. */
  readonly marker: string;
  readonly steps: readonly OddStep[];
  readonly topics: readonly string[];
  readonly namespace: string;
  readonly cluster: string;
  readonly brokerName: string;
}

export function frameOf({ header, binary, body }: OddStep): Buffer {
  const head = Buffer.from(header, binary ? 'base64' : 'utf8');
  const rest = Buffer.from(body, 'base64');
  const prefix = Buffer.alloc(8);
  prefix.writeInt32BE(4 + head.length + rest.length, 0);
  prefix.writeInt32BE(head.length, 4);
  prefix.writeUInt8(binary ? 1 : 0, 4);
  return Buffer.concat([prefix, head, rest]);
}

/** A header in JSON whose members come as given. */
export function jsonHeader(members: readonly RawMember[]): string {
  return `{${members.map(([name, value]) => `${name}:${value}`).join()}}`;
}

/** A header in the other format. */
export function binaryHeader(
  {
    code,
    version,
    opaque,
    flag,
    language,
    remark,
  }: Readonly<Record<'code' | 'version' | 'opaque' | 'flag' | 'language', number>> & { readonly remark: string },
  ext: readonly RawMember[],
): string {
  const parts = ext.map(([name, value]) => {
    const [key, text] = [Buffer.from(name), Buffer.from(value)];
    const bytes = Buffer.alloc(6);
    bytes.writeInt16BE(key.length, 0);
    bytes.writeInt32BE(text.length, 2);
    return Buffer.concat([bytes.subarray(0, 2), key, bytes.subarray(2), text]);
  });
  const fields = Buffer.concat(parts);
  const text = Buffer.from(remark);
  const fixed = Buffer.alloc(17);
  fixed.writeInt16BE(code, 0);
  fixed.writeUInt8(language, 2);
  fixed.writeInt16BE(version, 3);
  fixed.writeInt32BE(opaque, 5);
  fixed.writeInt32BE(flag, 9);
  fixed.writeInt32BE(text.length, 13);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length, 0);
  return Buffer.concat([fixed, text, length, fields]).toString('base64');
}
