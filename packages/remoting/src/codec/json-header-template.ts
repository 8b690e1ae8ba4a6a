import type { ExtFields, RemotingCommand } from '../command/remoting-command.js';

const NO_NAMES: readonly string[] = [];

/** The names of a command's ext fields, which {@link JsonHeaderTemplate} takes so that they are listed once. */
export function extFieldNames({ extFields }: RemotingCommand): readonly string[] {
  return extFields === undefined ? NO_NAMES : Object.keys(extFields);
}

/** A process sends a handful of kinds. The oldest gives way. */
const MAX_TEMPLATES = 16;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const QUOTE = 0x22;
const ZERO = 0x30;

const REMARK = Buffer.from(',"remark":');

const templates: JsonHeaderTemplate[] = [];
let latest: JsonHeaderTemplate | undefined;
let oldest = 0;

/**
 * The JSON header of commands that agree in code, flag, language and version, cut where the rest has its place. What is the same from one
 * command to the next is copied, and plain texts are written where they go: no text is made of the header first.
 */
export class JsonHeaderTemplate {
  readonly #code: number;
  readonly #flag: number;
  readonly #version: number;
  readonly #language: string | undefined;
  /** Of a header without ext fields. */
  readonly #beforeOpaque: Buffer;
  readonly #beforeExtFields: Buffer;
  readonly #afterExtFields: Buffer;
  readonly #atEnd: Buffer;

  /** The numbers of the command must be 32-bit integers. */
  constructor({ code, flag, version, language }: RemotingCommand) {
    this.#code = code;
    this.#flag = flag;
    this.#version = version;
    this.#language = language;
    const spoken = language === undefined ? '' : `,"language":"${language}"`;
    const rest = `,"flag":${flag}${spoken},"opaque":`;
    this.#beforeOpaque = Buffer.from(`{"code":${code}${rest}`);
    this.#beforeExtFields = Buffer.from(`{"code":${code},"extFields":{`);
    this.#afterExtFields = Buffer.from(`}${rest}`);
    this.#atEnd = Buffer.from(`,"serializeTypeCurrentRPC":"JSON","version":${version}}`);
  }

  /** The one for a command, made when it is first asked for. */
  static of(command: RemotingCommand): JsonHeaderTemplate {
    if (latest === undefined || !latest.#fits(command)) latest = JsonHeaderTemplate.#find(command);
    return latest;
  }

  static #find(command: RemotingCommand): JsonHeaderTemplate {
    for (const template of templates) if (template.#fits(command)) return template;
    const made = new JsonHeaderTemplate(command);
    templates[oldest] = made;
    oldest = (oldest + 1) % MAX_TEMPLATES;
    return made;
  }

  /** How many bytes the header takes, if all its texts are plain; NaN when one is no text, whatever its `length` says. */
  byteLength({ extFields, remark, opaque }: RemotingCommand, names: readonly string[]): number {
    const start =
      extFields === undefined
        ? this.#beforeOpaque.length
        : this.#beforeExtFields.length + extFieldsLength(extFields, names) + this.#afterExtFields.length;
    const remarkLength = remark === undefined || remark === null ? 0 : REMARK.length + characterCount(remark) + 2;
    return start + characters(opaque) + remarkLength + this.#atEnd.length;
  }

  /**
   * Writes the header where {@link byteLength} bytes are free.
   *
   * @returns false when a text is not plain ASCII or needs escaping: what was written is of no use then
   */
  write(
    { extFields, remark, opaque }: RemotingCommand,
    names: readonly string[],
    into: Buffer,
    start: number,
  ): boolean {
    let at: number;
    if (extFields === undefined) {
      at = copy(this.#beforeOpaque, into, start);
    } else {
      at = writeExtFields(extFields, names, into, copy(this.#beforeExtFields, into, start));
      if (at < 0) return false;
      at = copy(this.#afterExtFields, into, at);
    }
    at = writeInteger(opaque, into, at);
    if (remark !== undefined && remark !== null) {
      at = writeText(remark, into, copy(REMARK, into, at));
      if (at < 0) return false;
    }
    copy(this.#atEnd, into, at);
    return true;
  }

  #fits({ code, flag, version, language }: RemotingCommand): boolean {
    return this.#code === code && this.#flag === flag && this.#version === version && this.#language === language;
  }
}

function copy(bytes: Buffer, into: Buffer, at: number): number {
  into.set(bytes, at);
  return at + bytes.length;
}

function characterCount(text: string): number {
  return typeof text === 'string' ? text.length : Number.NaN;
}

/** Without the braces. A null counts nothing: it is not written. */
function extFieldsLength(extFields: ExtFields, names: readonly string[]): number {
  let length = 0;
  for (const name of names) {
    const value: string | null | undefined = extFields[name];
    if (value === undefined || value === null) continue;
    length += name.length + characterCount(value) + (length === 0 ? 5 : 6);
  }
  return length;
}

function writeExtFields(extFields: ExtFields, names: readonly string[], into: Buffer, start: number): number {
  let at = start;
  for (const name of names) {
    const value: string | null | undefined = extFields[name];
    if (value === undefined || value === null) continue;
    if (at > start) into[at++] = COMMA;
    at = writeText(name, into, at);
    if (at < 0) return at;
    into[at++] = COLON;
    at = writeText(value, into, at);
    if (at < 0) return at;
  }
  return at;
}

/** A plain text between quotes; -1 for another one. Most are short, and by hand costs less than a call into native code for each. */
function writeText(text: string, into: Buffer, start: number): number {
  let at = start;
  into[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x20 || char > 0x7e || char === QUOTE || char === BACKSLASH) return -1;
    into[at++] = char;
  }
  into[at] = QUOTE;
  return at + 1;
}

function writeInteger(value: number, into: Buffer, start: number): number {
  const end = start + characters(value);
  let left = Math.abs(value) >>> 0;
  for (let at = end - 1; at >= start; at--) {
    const tens = (left / 10) >>> 0;
    into[at] = ZERO + left - 10 * tens;
    left = tens;
  }
  if (value < 0) into[start] = MINUS;
  return end;
}

/** How many characters a 32-bit integer has in decimal. */
function characters(value: number): number {
  let count = value < 0 ? 2 : 1;
  for (let left = Math.abs(value) >>> 0; left >= 10; left = (left / 10) >>> 0) count++;
  return count;
}
