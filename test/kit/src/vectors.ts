import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApacheVersion } from './apache.js';
import { repositoryRoot } from './repository-root.js';

export const vectorsDirectory: string = join(repositoryRoot, 'test/vectors');

/** A header as a capture tells it. */
export interface VectorHeader {
  readonly code: number;
  readonly flag: number;
  readonly language: string;
  readonly opaque: number;
  readonly version: number;
  readonly remark?: string | null;
  readonly extFields?: Readonly<Record<string, string>> | null;
}

/** One captured frame with what is in it. */
export interface VectorMessage {
  readonly frame_base64: string;
  readonly serialize: 'JSON' | 'ROCKETMQ';
  readonly header: VectorHeader;
  readonly header_text?: string;
  readonly body_text?: string;
  readonly body_base64?: string;
  readonly body_inflated?: {
    readonly data_version: string;
    readonly topic_configs: readonly string[];
    readonly filter_server_list: string;
    readonly topic_queue_mappings?: readonly string[];
  };
}

/** One captured exchange with a name server; `file` is relative to `test/vectors`. */
export interface Vector {
  readonly file: string;
  readonly name: string;
  readonly version: ApacheVersion;
  readonly code: number;
  readonly scenario: string;
  readonly request: VectorMessage;
  readonly response: VectorMessage | null;
}

/** One captured exchange with a broker. */
export interface StorageNodeVector {
  readonly file: string;
  readonly name: string;
  readonly code: number;
  readonly request: VectorMessage;
  readonly response: VectorMessage | null;
}

function load<T>(folder: string): (T & { readonly file: string })[] {
  return readdirSync(join(vectorsDirectory, folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const file = `${folder}/${name}`;
      return { ...(JSON.parse(readFileSync(join(vectorsDirectory, file), 'utf8')) as T), file };
    });
}

/** The captured exchanges of one name server version, by file name. */
export function loadVectors(version: ApacheVersion): Vector[] {
  return load<Vector>(version);
}

/** The captured exchanges between clients and a broker. */
export function loadStorageNodeVectors(): StorageNodeVector[] {
  return load<StorageNodeVector>('storage-node');
}

/** One line of a transcript after the first. `t_ms` counts from the start of the capture. */
export type TranscriptLine =
  | { readonly t_ms: number; readonly step: string }
  | { readonly t_ms: number; readonly conn: number; readonly event: 'opened' }
  | { readonly t_ms: number; readonly conn: number; readonly event: 'closed'; readonly by: 'client' | 'server' }
  | {
      readonly t_ms: number;
      readonly conn: number;
      readonly from: 'client' | 'server';
      readonly dir: 'request' | 'response';
      readonly code: number;
      readonly opaque: number;
      readonly frame_base64: string;
    };

/** The traffic of one scenario, in order. */
export interface Transcript {
  readonly version: ApacheVersion;
  readonly scenario: string;
  readonly clientVersion: string;
  /** What the name server was started with beyond its defaults, as `key=value`. */
  readonly serverOptions: readonly string[];
  readonly lines: readonly TranscriptLine[];
}

/** Which transcripts there are. */
export function listTranscripts(): { readonly version: ApacheVersion; readonly scenario: string }[] {
  const top = join(vectorsDirectory, 'transcripts');
  return (readdirSync(top).sort() as ApacheVersion[]).flatMap((version) =>
    readdirSync(join(top, version))
      .sort()
      .map((name) => ({ version, scenario: name.replace(/\.jsonl$/, '') })),
  );
}

/** Reads one transcript. */
export function loadTranscript(version: ApacheVersion, scenario: string): Transcript {
  const text = readFileSync(join(vectorsDirectory, 'transcripts', version, `${scenario}.jsonl`), 'utf8');
  const [first = '', ...rest] = text.split('\n').filter((line) => line !== '');
  const head = JSON.parse(first) as {
    scenario: string;
    server: { version: ApacheVersion; options: string[] };
    client_version: string;
  };
  return {
    version: head.server.version,
    scenario: head.scenario,
    clientVersion: head.client_version,
    serverOptions: head.server.options,
    lines: rest.map((line) => JSON.parse(line) as TranscriptLine),
  };
}
