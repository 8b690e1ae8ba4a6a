import { RemotingCommand, SerializeType } from '@rmqns/remoting';
import { decodeFrame, encodeFrame } from '@rmqns/remoting/command';
import { type JsonValue, parseFastJson, writeFastJson } from '@rmqns/remoting/json';
import {
  apacheVersions,
  decodeWireFrame,
  loadStorageNodeVectors,
  loadVectors,
  parseLenientJson,
  type StorageNodeVector,
  type Vector,
  type VectorMessage,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { checkBodyRoundTrip } from './body-round-trip.js';

const LENGTH_BYTES = 4;

for (const version of apacheVersions) {
  describe(`traffic recorded with ${version}`, () => {
    for (const [code, vectors] of byCode(loadVectors(version))) {
      it(`of code ${code} keeps its meaning when it is read and written again (${vectors.length} exchanges)`, () => {
        for (const vector of vectors) {
          inFile(vector, () => {
            for (const side of ['request', 'response'] as const) {
              const message = vector[side];
              if (message === null) continue;
              const body = checkFrame(message);
              checkJson(message);
              if (body !== undefined) checkBodyRoundTrip(side, body, vector);
            }
          });
        }
      });
    }
  });
}

describe('traffic recorded with brokers', () => {
  for (const [code, vectors] of byCode(loadStorageNodeVectors())) {
    it(`of code ${code} keeps its header and its JSON when it is read and written again`, () => {
      for (const vector of vectors) {
        inFile(vector, () => {
          for (const message of [vector.request, vector.response]) {
            if (message === null) continue;
            checkFrame(message);
            checkJson(message);
          }
        });
      }
    });
  }
});

/** Reads the frame, compares it with what the capture says, writes it and has an independent reader judge. Returns its body. */
function checkFrame({ frame_base64, serialize, header }: VectorMessage): Buffer | undefined {
  const bytes = Buffer.from(frame_base64, 'base64');
  const wire = decodeWireFrame(bytes);
  const command = decodeFrame(bytes.subarray(LENGTH_BYTES));
  expect(command).to.be.instanceOf(RemotingCommand);
  expect(meaningOf(command)).to.deep.equal({
    code: header.code,
    flag: header.flag,
    language: header.language,
    opaque: header.opaque,
    version: header.version,
    remark: header.remark ?? null,
    extFields: header.extFields ?? null,
    serializeType: serialize === 'JSON' ? SerializeType.JSON : SerializeType.ROCKETMQ,
    body: wire.body.toString('base64'),
  });

  const written = Buffer.concat(encodeFrame(command));
  const again = decodeWireFrame(written);
  expect({ ...again.header, body: again.body }).to.deep.equal({ ...wire.header, body: wire.body });
  expect(again.serialize).to.equal(serialize);
  expect(meaningOf(decodeFrame(written.subarray(LENGTH_BYTES)))).to.deep.equal(meaningOf(command));
  return wire.body.length === 0 ? undefined : wire.body;
}

/** Reads JSON in headers and bodies, compares it with an independent reader's result, and writes it in both dialects. */
function checkJson({ header_text, body_text }: VectorMessage): void {
  for (const text of [header_text, body_text]) {
    if (text === undefined || !/^[[{]/.test(text)) continue;
    const parsed: JsonValue = parseFastJson(text);
    expect(longsAsText(parsed)).to.deep.equal(parseLenientJson(text));
    expect(parseFastJson(writeFastJson(parsed, 'legacy'))).to.deep.equal(parsed);
    // The standard dialect writes integers that browsers would round as texts.
    expect(parseFastJson(writeFastJson(parsed, 'standard'))).to.deep.equal(longsAsText(parsed));
  }
}

function longsAsText(value: JsonValue): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member)),
  );
}

function meaningOf(command: RemotingCommand): object {
  return {
    code: command.code,
    flag: command.flag,
    language: command.language,
    opaque: command.opaque,
    version: command.version,
    remark: command.remark ?? null,
    extFields: command.extFields === undefined ? null : { ...command.extFields },
    serializeType: command.serializeType,
    body: Buffer.from(command.body ?? []).toString('base64'),
  };
}

function byCode<T extends { readonly code: number }>(vectors: readonly T[]): [code: number, vectors: T[]][] {
  const groups = new Map<number, T[]>();
  for (const vector of vectors) groups.set(vector.code, [...(groups.get(vector.code) ?? []), vector]);
  return [...groups].sort(([a], [b]) => a - b);
}

/** A failure tells the file. */
function inFile(vector: Vector | StorageNodeVector, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) error.message = `test/vectors/${vector.file}: ${error.message}`;
    throw error;
  }
}
