const OPAQUE_KEY = Buffer.from('"opaque":');
const CODE_ZERO = Buffer.from('{"code":0,');

/** Finds whole answers in what a connection brings. */
export class AnswerReader {
  #rest;

  /**
   * @param {Buffer} chunk
   * @param {(code: number, opaque: number, bytes: Buffer, bodyAt: number, end: number) => void} onAnswer the body is in `bytes` for the
   *   time of the call
   */
  push(chunk, onAnswer) {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = 0;
    while (bytes.length - at >= 8) {
      const end = at + 4 + bytes.readUInt32BE(at);
      if (end > bytes.length) break;
      const bodyAt = at + 8 + (bytes.readUInt32BE(at + 4) & 0xffffff);
      onAnswer(codeOf(bytes, at + 8, bodyAt), opaqueOf(bytes, at + 8), bytes, bodyAt, end);
      at = end;
    }
    if (at < bytes.length) this.#rest = at === 0 ? bytes : bytes.subarray(at);
  }
}

function codeOf(bytes, from, to) {
  if (bytes.compare(CODE_ZERO, 0, CODE_ZERO.length, from, from + CODE_ZERO.length) === 0) return 0;
  return JSON.parse(bytes.latin1Slice(from, to)).code;
}

function opaqueOf(bytes, from) {
  let at = bytes.indexOf(OPAQUE_KEY, from) + OPAQUE_KEY.length;
  let opaque = 0;
  for (let digit = bytes[at] - 0x30; digit >= 0 && digit <= 9; digit = bytes[++at] - 0x30) opaque = opaque * 10 + digit;
  return opaque;
}
