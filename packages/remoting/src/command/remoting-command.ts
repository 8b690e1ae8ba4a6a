import { CommandFlag } from './command-flag.js';
import type { LanguageName } from './language-code.js';
import { SerializeType } from './serialize-type.js';

/** Header fields as they travel: names and texts. Objects without a prototype, so that any name is safe. */
export type ExtFields = Record<string, string>;

/** An empty {@link ExtFields}. */
export function createExtFields(from?: Readonly<ExtFields>): ExtFields {
  const fields = Object.create(null) as ExtFields;
  return from === undefined ? fields : Object.assign(fields, from);
}

/** Ext fields that are made into an object when they are first asked for. */
export interface ExtFieldsSource {
  read(): ExtFields;
  /** All of them as one text, where that is cheap: equal texts are equal fields. */
  readonly text?: string | undefined;
}

/** What a {@link RemotingCommand} can be made of; all but `code` have defaults. */
export interface RemotingCommandInit {
  /** The request code, or the response code. */
  readonly code: number;
  /** Default JAVA, which every peer knows; `undefined` when a peer sent a name nobody knows. */
  readonly language?: LanguageName | undefined;
  /** The sender's release, as MQVersion ordinal; default 0. */
  readonly version?: number;
  /** Ties an answer to its request; default 0. A client gives its own when it sends. */
  readonly opaque?: number;
  /** Bits of CommandFlag; default 0, a request. */
  readonly flag?: number;
  /** For people; `undefined` and null are not written. */
  readonly remark?: string | undefined;
  /** `undefined`: no `extFields` in the header at all; empty: written as `{}`. */
  readonly extFields?: ExtFields | undefined;
  /** `undefined` and empty are the same on the wire: no body. */
  readonly body?: Uint8Array | undefined;
  /** How the header is written; default JSON. */
  readonly serializeType?: SerializeType;
}

const NO_INIT: Omit<RemotingCommandInit, 'code'> = {};

/**
 * One message of the protocol, request or response (upstream: `RemotingCommand`).
 *
 * Clients copy a command before they stamp an opaque on it or let hooks change it, so one object may be sent to several addresses.
 */
export class RemotingCommand {
  code: number;
  language: LanguageName | undefined;
  version: number;
  opaque: number;
  flag: number;
  remark: string | undefined;
  body: Uint8Array | undefined;
  serializeType: SerializeType;
  #extFields: ExtFields | undefined;
  #extFieldsSource: ExtFieldsSource | undefined;

  constructor(init: RemotingCommandInit) {
    // All members in one order, so that all commands are of one kind to the engine.
    this.code = 0;
    this.language = 'JAVA';
    this.version = 0;
    this.opaque = 0;
    this.flag = 0;
    this.remark = undefined;
    this.body = undefined;
    this.serializeType = SerializeType.JSON;
    this.#extFields = undefined;
    this.#extFieldsSource = undefined;
    // To look for eight members where there are none costs three times as much as all the rest.
    if (init === NO_INIT) return;
    const { language } = init;
    this.code = init.code;
    // A language that is there but undefined is one that nobody knows.
    this.language = language === undefined && !('language' in init) ? 'JAVA' : language;
    this.version = init.version ?? 0;
    this.opaque = init.opaque ?? 0;
    this.flag = init.flag ?? 0;
    this.remark = init.remark;
    this.body = init.body;
    this.serializeType = init.serializeType ?? SerializeType.JSON;
    this.#extFields = init.extFields;
  }

  /** A request. */
  static request(code: number, init: Omit<RemotingCommandInit, 'code'> = NO_INIT): RemotingCommand {
    // Not spread into a new object: that costs more than all the rest of making a command.
    const command = new RemotingCommand(init as RemotingCommandInit);
    command.code = code;
    return command;
  }

  /** A response; its opaque becomes the request's when it is sent. */
  static response(
    code: number,
    remark?: string,
    init: Omit<RemotingCommandInit, 'code' | 'remark'> = NO_INIT,
  ): RemotingCommand {
    const command = new RemotingCommand(init as RemotingCommandInit);
    command.code = code;
    command.remark = remark;
    command.flag |= CommandFlag.RESPONSE;
    return command;
  }

  /** One object for each command, which may be changed; `undefined` when the header has no `extFields` at all. */
  get extFields(): ExtFields | undefined {
    const source = this.#extFieldsSource;
    if (source !== undefined) {
      this.#extFieldsSource = undefined;
      this.#extFields = source.read();
    }
    return this.#extFields;
  }

  set extFields(value: ExtFields | undefined) {
    this.#extFieldsSource = undefined;
    this.#extFields = value;
  }

  /** Lets the ext fields wait until they are asked for: many a command is dealt with without. For codecs. */
  extFieldsFrom(source: ExtFieldsSource): void {
    this.#extFieldsSource = source;
  }

  /**
   * The ext fields as the text that came, as long as nobody has asked for {@link extFields}: where it is the same, they are the same. For whoever
   * keeps what he reads of them, since many requests say the same. `undefined` when there are none, or no such text, or it is long.
   */
  get extFieldsText(): string | undefined {
    return this.#extFieldsSource?.text;
  }

  /** Whether the header has `extFields`, be they empty; asking does not make them into an object. */
  get hasExtFields(): boolean {
    return this.#extFieldsSource !== undefined || this.#extFields !== undefined;
  }

  get isResponse(): boolean {
    return (this.flag & CommandFlag.RESPONSE) !== 0;
  }

  get isOneway(): boolean {
    return (this.flag & CommandFlag.ONEWAY) !== 0;
  }

  /** A copy that shares only the body's bytes. */
  copy(): RemotingCommand {
    const { extFields } = this;
    const copy = RemotingCommand.request(this.code);
    copy.language = this.language;
    copy.version = this.version;
    copy.opaque = this.opaque;
    copy.flag = this.flag;
    copy.remark = this.remark;
    copy.body = this.body;
    copy.serializeType = this.serializeType;
    if (extFields !== undefined) copy.#extFields = createExtFields(extFields);
    return copy;
  }

  /** Text for logs, in upstream's shape. Values of ext fields and bodies are left out: they may hold secrets. */
  toString(): string {
    const names = this.extFields === undefined ? 'null' : `{${Object.keys(this.extFields).join(', ')}}`;
    return (
      `RemotingCommand [code=${this.code}, language=${this.language ?? 'null'}, version=${this.version}, opaque=${this.opaque}, ` +
      `flag(B)=${(this.flag >>> 0).toString(2)}, remark=${this.remark ?? 'null'}, extFields=${names}, ` +
      `serializeTypeCurrentRPC=${this.serializeType === SerializeType.JSON ? 'JSON' : 'ROCKETMQ'}, bodyBytes=${this.body?.length ?? 0}]`
    );
  }
}
