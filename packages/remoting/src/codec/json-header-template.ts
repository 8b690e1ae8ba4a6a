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
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;
const MINUS = 0x2d;
const QUOTE = 0x22;
const ZERO = 0x30;

const EXT_FIELDS = Buffer.from(',"extFields":{');
const REMARK = Buffer.from(',"remark":');

const templates: JsonHeaderTemplate[] = [];
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
  readonly #beforeExtFields: Buffer;
  readonly #beforeOpaque: Buffer;
  readonly #atEnd: Buffer;

  /** The numbers of the command must be 32-bit integers. */
  constructor({ code, flag, version, language }: RemotingCommand) {
    this.#code = code;
    this.#flag = flag;
    this.#version = version;
    this.#language = language;
    const spoken = language === undefined ? '' : `,"language":"${language}"`;
    this.#beforeExtFields = Buffer.from(`{"code":${code}`);
    this.#beforeOpaque = Buffer.from(`,"flag":${flag}${spoken},"opaque":`);
    this.#atEnd = Buffer.from(`,"serializeTypeCurrentRPC":"JSON","version":${version}}`);
  }

  /** The one for a command, made when it is first asked for. */
  static of(command: RemotingCommand): JsonHeaderTemplate {
    for (const template of templates) if (template.#fits(command)) return template;
    const made = new JsonHeaderTemplate(command);
    templates[oldest] = made;
    oldest = (oldest + 1) % MAX_TEMPLATES;
    return made;
  }

  /** How many bytes the header takes, if all its texts are plain. Ext fields that are no texts count as they come. */
  byteLength(command: RemotingCommand, names: readonly string[]): number {
    const { extFields, remark, opaque } = command;
    return (
      this.#beforeExtFields.length +
      (extFields === undefined ? 0 : EXT_FIELDS.length + extFieldsLength(extFields, names) + 1) +
      this.#beforeOpaque.length +
      characters(opaque) +
      (remark === undefined || remark === null ? 0 : REMARK.length + remark.length + 2) +
      this.#atEnd.length
    );
  }

  /**
   * Writes the header where {@link byteLength} bytes are free.
   *
   * @returns false when a text is not plain ASCII, needs escaping, or is none: what was written is of no use then
   */
  write(command: RemotingCommand, names: readonly string[], into: Buffer, start: number): boolean {
    const { extFields, remark } = command;
    let at = copy(this.#beforeExtFields, into, start);
    if (extFields !== undefined) {
      at = writeExtFields(extFields, names, into, copy(EXT_FIELDS, into, at));
      if (at < 0) return false;
    }
    at = writeInteger(command.opaque, into, copy(this.#beforeOpaque, into, at));
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

/** Without the braces. A null counts nothing: it is not written. */
function extFieldsLength(extFields: ExtFields, names: readonly string[]): number {
  let length = 0;
  for (const name of names) {
    const value: string | null | undefined = extFields[name];
    if (value === undefined || value === null) continue;
    length += name.length + value.length + (length === 0 ? 5 : 6);
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
  into[at] = CLOSE_BRACE;
  return at + 1;
}

/** A plain text between quotes; -1 for another one. Most are short, and by hand costs less than a call into native code for each. */
function writeText(text: string, into: Buffer, start: number): number {
  if (typeof text !== 'string') return -1;
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
  let left = Math.abs(value);
  for (let at = end - 1; at >= start; at--) {
    into[at] = ZERO + (left % 10);
    left = Math.trunc(left / 10);
  }
  if (value < 0) into[start] = MINUS;
  return end;
}

/** How many characters a number has in decimal. */
function characters(value: number): number {
  let count = value < 0 ? 2 : 1;
  for (let left = Math.abs(value); left >= 10; left /= 10) count++;
  return count;
}
