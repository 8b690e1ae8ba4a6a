import type { RemotingCommand } from '../command/remoting-command.js';

/** A process answers with a handful of them. The oldest gives way. */
const MAX_TEMPLATES = 16;
const MINUS = 0x2d;
const ZERO = 0x30;

const templates: JsonHeaderTemplate[] = [];
let oldest = 0;

/**
 * The JSON header of commands without ext fields and remark, cut where the opaque stands: all else is the same from one answer to the next,
 * so bytes are copied instead of made.
 */
export class JsonHeaderTemplate {
  readonly #code: number;
  readonly #flag: number;
  readonly #version: number;
  readonly #language: string | undefined;
  readonly #beforeOpaque: Buffer;
  readonly #afterOpaque: Buffer;

  /** The numbers of the command must be 32-bit integers. */
  constructor({ code, flag, version, language }: RemotingCommand) {
    this.#code = code;
    this.#flag = flag;
    this.#version = version;
    this.#language = language;
    const spoken = language === undefined ? '' : `,"language":"${language}"`;
    this.#beforeOpaque = Buffer.from(`{"code":${code},"flag":${flag}${spoken},"opaque":`);
    this.#afterOpaque = Buffer.from(`,"serializeTypeCurrentRPC":"JSON","version":${version}}`);
  }

  /** The one for a command that has neither ext fields nor remark, made when it is first asked for. */
  static of(command: RemotingCommand): JsonHeaderTemplate {
    for (const template of templates) if (template.#fits(command)) return template;
    const made = new JsonHeaderTemplate(command);
    templates[oldest] = made;
    oldest = (oldest + 1) % MAX_TEMPLATES;
    return made;
  }

  /** How many bytes the header takes with this opaque in it. */
  byteLength(opaque: number): number {
    return this.#beforeOpaque.length + characters(opaque) + this.#afterOpaque.length;
  }

  /** Writes the header where {@link byteLength} bytes are free. */
  write(opaque: number, into: Buffer, start: number): void {
    into.set(this.#beforeOpaque, start);
    const first = start + this.#beforeOpaque.length;
    const end = first + characters(opaque);
    let left = Math.abs(opaque);
    for (let at = end - 1; at >= first; at--) {
      into[at] = ZERO + (left % 10);
      left = Math.trunc(left / 10);
    }
    if (opaque < 0) into[first] = MINUS;
    into.set(this.#afterOpaque, end);
  }

  #fits({ code, flag, version, language }: RemotingCommand): boolean {
    return this.#code === code && this.#flag === flag && this.#version === version && this.#language === language;
  }
}

/** How many characters a number has in decimal. */
function characters(value: number): number {
  let count = value < 0 ? 2 : 1;
  for (let left = Math.abs(value); left >= 10; left /= 10) count++;
  return count;
}
