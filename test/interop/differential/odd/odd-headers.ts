import { soundRequest } from './odd-requests.js';
import { jsonHeader, type RawMember } from './odd-step.js';
import type { Scene } from './scene.js';

const ODD_VERSIONS = [
  ...['"401"', '401.9', '401.0', 'null', '-1', '613', '700', '2147483647', '2147483648', '99999999999', '""', '"x"'],
  ...['true', '4e2', '"-5"', '[]', '{}'],
] as const;
const ODD_LANGUAGES = [
  ...[
    '"GO"',
    '"RUST"',
    '"ZIG"',
    '""',
    'null',
    '0',
    '1',
    '11',
    '99',
    '-1',
    '"java"',
    '"0"',
    '"12"',
    'true',
    '[]',
    '1.5',
  ],
] as const;
const ODD_FLAGS = ['"0"', 'null', '4', '8', '0.0', '""', 'false', '1000', '-2147483648'] as const;
const ODD_REMARKS = ['null', '"hello"', '1', '{}', '"é"'] as const;
const ODD_MEMBERS = ['"nobody"', '"customHeader"', '"type"', '"Code"', '"CODE"', '"responseType"'] as const;
const ODD_ENDS = [' ', '\n', ',', 'x', '\u0000'] as const;

/** A request whose header around the fields is odd. */
export function addWithOddHeader(scene: Scene): void {
  const { random } = scene;
  const { code, fields, body, version } = soundRequest(scene);
  const opaque = scene.nextOpaque();
  const keepsFields = code === 104 || (code === 100 && scene.version === '4.7.1');
  const ext = random.once(6) && !keepsFields ? random.pick(['null', '{}', '[]', '"x"']) : JSON.stringify(fields);
  const members: RawMember[] = [
    ['"code"', String(code)],
    ['"extFields"', ext],
    ['"flag"', '0'],
    ['"language"', '"JAVA"'],
    ['"opaque"', String(opaque)],
    ['"serializeTypeCurrentRPC"', '"JSON"'],
    ['"version"', String(version)],
  ];
  const set = (name: string, values: readonly string[]) => (): void => {
    const at = members.findIndex(([each]) => each === `"${name}"`);
    members[at] = [`"${name}"`, random.pick(values)];
  };
  const codes = [`"${code}"`, `${code}.0`, `${code}.9`, `" ${code}"`, `"${code}.0"`, `+${code}`, `0${code}`];
  random.weighted<() => void>([
    [1, set('version', ODD_VERSIONS)],
    [1, set('language', ODD_LANGUAGES)],
    [1, set('flag', ODD_FLAGS)],
    [1, set('code', codes)],
    [1, set('opaque', [`"${opaque}"`, `${opaque}.0`])],
    [1, set('serializeTypeCurrentRPC', ['"ROCKETMQ"', '"XML"', 'null'])],
    [1, () => void members.push(['"remark"', random.pick(ODD_REMARKS)])],
    [1, () => void members.push([random.pick(ODD_MEMBERS), random.pick(['null', '"x"', '[]', '{"a":1}'])])],
    [1, () => void members.reverse()],
    // Without a code it is code 0, which 4.x never answers (rule unknown-code).
    [1, () => void members.splice((keepsFields ? 2 : 1) + random.below(members.length - 2), 1)],
    [1, () => void members.splice(0, members.length, ...members.map(respell(scene)))],
    [1, () => void members.push(['"extFields"', ext])],
  ])();
  const header = `${jsonHeader(members)}${random.once(12) ? random.pick(ODD_ENDS) : ''}`;
  scene.push(code, opaque, `header ${JSON.stringify(header)}`, header, body);
}

function respell({ random }: Scene): (member: RawMember) => RawMember {
  return ([name, value]) => {
    const bare = name.slice(1, -1);
    return [random.pick([bare, `'${bare}'`, ` ${name}\n`]), random.pick([value, ` ${value} `])];
  };
}
