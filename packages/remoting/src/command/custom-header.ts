import { DecodeError, RemotingError } from '../errors.js';
import type { HeaderField } from './header-field.js';
import type { ExtFields } from './remoting-command.js';

/** The fields of a typed header, by name. */
export type HeaderSchema = Readonly<Record<string, HeaderField<unknown, 'required' | 'optional' | 'default'>>>;

type Value<F> = F extends HeaderField<infer T, infer _P> ? T : never;
type KeysOf<S extends HeaderSchema, P> = { [K in keyof S]: S[K]['presence'] extends P ? K : never }[keyof S];

/** A header as a sender writes it: fields with a default may be left out. Where there are no fields, it is `{}`. */
export type HeaderInput<S extends HeaderSchema> = [keyof S] extends [never] ? Record<string, never> : FieldsInput<S>;

type FieldsInput<S extends HeaderSchema> = { readonly [K in KeysOf<S, 'required'>]: Value<S[K]> } & {
  readonly [K in KeysOf<S, 'optional' | 'default'>]?: Value<S[K]> | undefined;
};

/** A header as a receiver reads it: fields with a default are there. */
export type HeaderOutput<S extends HeaderSchema> = {
  readonly [K in KeysOf<S, 'required' | 'default'>]: Value<S[K]>;
} & {
  readonly [K in KeysOf<S, 'optional'>]?: Value<S[K]>;
};

/** `isInherited`: every plain object has a member of that name, such as `constructor` or `toString`. */
type Field = readonly [name: string, field: HeaderSchema[string], isInherited: boolean];
const fields = new WeakMap<HeaderSchema, readonly Field[]>();

/** The fields of a schema as a list, made once: headers are read and written for every request. */
function fieldsOf(schema: HeaderSchema): readonly Field[] {
  let list = fields.get(schema);
  if (list === undefined) {
    list = Object.entries(schema).map(([name, field]) => [name, field, name in Object.prototype]);
    fields.set(schema, list);
  }
  return list;
}

/** A schema's fields at hand for headers that go one way: mostly the next one is of the same schema. */
class LatestFields {
  #schema: HeaderSchema | undefined;
  #fields: readonly Field[] = [];

  of(schema: HeaderSchema): readonly Field[] {
    if (schema !== this.#schema) {
      this.#fields = fieldsOf(schema);
      this.#schema = schema;
    }
    return this.#fields;
  }
}

const written = new LatestFields();
const read = new LatestFields();

/** Sets a member of any name, `__proto__` too. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Writes a typed header into ext fields. Fields already there stay, one of the same name is overwritten, `undefined` is not written
 * (upstream: `makeCustomHeaderToNet`).
 *
 * @throws RemotingError `ENCODE_FAILED` naming the field, when a required one is missing or a value has the wrong type
 */
export function encodeHeader<S extends HeaderSchema>(
  schema: S,
  header: HeaderInput<S>,
  into: ExtFields = {},
): ExtFields {
  const values = header as Readonly<Record<string, unknown>>;
  for (const [name, field, isInherited] of written.of(schema)) {
    const given = isInherited && !Object.hasOwn(values, name) ? undefined : values[name];
    const value = given ?? field.fallback;
    if (value === undefined) {
      if (field.presence === 'required')
        throw new RemotingError('ENCODE_FAILED', `the header field ${name} is required but missing`);
      continue;
    }
    const text = field.format(value);
    if (text === undefined)
      throw new RemotingError('ENCODE_FAILED', `the header field ${name} is no ${field.kind}: ${describe(value)}`);
    if (isInherited) setOwn(into, name, text);
    else into[name] = text;
  }
  return into;
}

/** A number that is out of range says more than its type; a text may be a secret. */
function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
}

/**
 * Reads a typed header out of ext fields. Unknown fields are left alone; a text that does not parse counts as missing, as upstream
 * has it; but where upstream goes on with null, a missing required field is an error here.
 *
 * @throws DecodeError `the custom field NAME is null`, in upstream's words, or what is wrong with its text
 */
export function decodeHeader<S extends HeaderSchema>(
  schema: S,
  extFields: Readonly<ExtFields> | undefined,
): HeaderOutput<S> {
  const header: Record<string, unknown> = {};
  for (const [name, field, isInherited] of read.of(schema)) {
    const isMissing = extFields === undefined || (isInherited && !Object.hasOwn(extFields, name));
    const text = isMissing ? undefined : extFields[name];
    const value = text === undefined ? field.fallback : (field.parse(text) ?? field.fallback);
    if (value !== undefined) {
      if (isInherited) setOwn(header, name, value);
      else header[name] = value;
    } else if (field.presence === 'required') {
      throw new DecodeError(
        text === undefined
          ? `the custom field <${name}> is null`
          : `the custom field <${name}> is no ${field.kind}, but a text of ${text.length} characters`,
      );
    }
  }
  return header as HeaderOutput<S>;
}
