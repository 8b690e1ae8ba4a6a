import type { ApacheVersion } from '@rmqns/test-kit';
import type { Random } from '../random.js';
import { binaryHeader, jsonHeader, type OddScenario, type OddStep, type RawMember } from './odd-step.js';

/** The fields of a request by name. */
export type Fields = Record<string, string>;

/** Versions of clients and brokers, about the places where answers or bodies change. */
export const VERSIONS = [0, 30, 36, 37, 63, 355, 400, 401, 407, 412, 413, 479, 612] as const;

const ODD_ENDINGS = ['é主', '😀', '"q"', 'a/b', '\\', ' ', '\u2028', "'", '\u007f', '<&>', '\n'] as const;

/** A request and what its header says of it; both formats can be written of it. */
interface RequestParts {
  readonly code: number;
  readonly note: string;
  readonly version: number;
  /** Names and values in JSON. */
  readonly members: readonly RawMember[];
  readonly body: Buffer;
}

/** Where one scenario is put together: its own names, and the steps so far. */
export class Scene {
  readonly version: ApacheVersion;
  readonly fiveX: boolean;
  readonly random: Random;
  readonly marker: string;
  readonly topics: readonly string[];
  readonly namespace: string;
  readonly cluster: string;
  readonly brokerName: string;
  readonly brokerAddr: string;
  readonly #steps: OddStep[] = [];
  #opaque = 0;
  #conn = 0;

  constructor(version: ApacheVersion, random: Random, marker: string) {
    this.version = version;
    this.fiveX = version === '5.3.3';
    this.random = random;
    this.marker = marker;
    const name = (letter: string): string => `${letter}${marker}${random.once(5) ? random.pick(ODD_ENDINGS) : ''}`;
    this.topics = ['A', 'B', 'C'].map(name);
    this.namespace = name('N');
    this.cluster = name('C');
    this.brokerName = name('b');
    this.brokerAddr = `a${marker}:10911`;
  }

  /** What the scenario's broker says of itself. */
  get broker(): Fields {
    const { brokerName, brokerAddr, cluster: clusterName } = this;
    return { brokerName, brokerAddr, clusterName, haServerAddr: 'ha:1', brokerId: '0' };
  }

  get scenario(): OddScenario {
    const { marker, topics, namespace, cluster, brokerName } = this;
    return { marker, topics, namespace, cluster, brokerName, steps: this.#steps };
  }

  nextOpaque(): number {
    this.#opaque += 1;
    return this.#opaque;
  }

  /** A step whose header is written already. */
  push(code: number, opaque: number, note: string, header: string, body: Buffer, binary = false): void {
    this.#steps.push({
      conn: this.#connOf(code),
      code,
      opaque,
      note: `${code}${binary ? ' binary' : ''} ${note}`,
      header,
      binary,
      body: body.toString('base64'),
    });
  }

  /** A step with these fields, in either format. */
  add(code: number, note: string, fields: Fields, body: Buffer, version: number): void {
    const members = Object.entries(fields).map(
      ([name, value]) => [JSON.stringify(name), JSON.stringify(value)] as const,
    );
    this.addMembers({ code, note, version, members, body }, this.random.once(5));
  }

  addMembers({ code, note, version, members, body }: RequestParts, wantsBinary: boolean): void {
    const opaque = this.nextOpaque();
    const texts = members.map(([name, value]) => [JSON.parse(name), String(JSON.parse(value))] as [string, string]);
    // An empty text in a binary header is none in 4.7.1 (rule binary-empty-value).
    const binary = wantsBinary && !(this.version === '4.7.1' && texts.some(([, value]) => value === ''));
    const header = binary ? this.#binary(code, version, opaque, texts) : plainHeader(code, version, opaque, members);
    this.push(code, opaque, `version ${version}: ${note}`, header, body, binary);
  }

  #binary(code: number, version: number, opaque: number, texts: readonly RawMember[]): string {
    const language = this.random.pick([0, 0, 9, 12, 13, 99]);
    const remark = this.random.once(8) ? 'hello é' : '';
    return binaryHeader({ code, version, opaque, flag: 0, language, remark }, texts);
  }

  /** Brokers stay on one connection. */
  #connOf(code: number): number {
    if ([103, 104, 322, 904].includes(code)) return 0;
    this.#conn += 1;
    return this.#conn;
  }
}

function plainHeader(code: number, version: number, opaque: number, members: readonly RawMember[]): string {
  return jsonHeader([
    ['"code"', String(code)],
    ['"extFields"', jsonHeader(members)],
    ['"flag"', '0'],
    ['"language"', '"JAVA"'],
    ['"opaque"', String(opaque)],
    ['"serializeTypeCurrentRPC"', '"JSON"'],
    ['"version"', String(version)],
  ]);
}
