import { DecodeError } from '@rmqns/remoting/command';
import {
  type JsonObject,
  type JsonShape,
  type JsonValue,
  jsonEntries,
  jsonField,
  type Long,
  toArray,
  toBoolean,
  toInt32,
  toLongValue,
  toObject,
  toText,
} from '@rmqns/remoting/json';

/** No text and no map of those who register has a fraction of that; to read more of one would keep everybody waiting. */
const MAX_VALUES = 32_768;

/** What is wanted of a number or a boolean: an array or object is none, whatever it holds. */
export const SCALAR: JsonShape = {};

/** What is wanted of a text: one may be written as an array or object. */
export const TEXT: JsonShape = { wholeUpTo: MAX_VALUES };

/** What is wanted of a map of texts. */
export const TEXT_MAP: JsonShape = { entries: TEXT, maxEntries: MAX_VALUES };

/** What is wanted of a bean with these properties. */
export function beanShape(properties: Readonly<Record<string, JsonShape>>): JsonShape {
  return { properties: new Map(Object.entries(properties)) };
}

/**
 * Reads the properties of one JSON object as fastjson reads those of a Java bean: names match loosely, values are turned into what the
 * property is, null and missing leave a default (reference: nameserver 2.5.1). All methods throw DecodeError, naming the property, for a
 * value that cannot be turned.
 */
export class BeanReader {
  readonly #object: JsonObject;

  private constructor(object: JsonObject) {
    this.#object = object;
  }

  /** null for JSON that stands for a null bean: `null`, `""`, `[]` and blank text. `what` names the bean in errors. */
  static of(json: JsonValue, what: string): BeanReader | null {
    const object = toObject(json, what);
    return object == null ? null : new BeanReader(object);
  }

  /** `undefined`: missing. */
  value(name: string): JsonValue | undefined {
    return jsonField(this.#object, name);
  }

  int(name: string, fallback: number): number {
    return toInt32(this.value(name), name) ?? fallback;
  }

  long(name: string, fallback: Long): Long {
    return toLongValue(this.value(name), name) ?? fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    return toBoolean(this.value(name), name) ?? fallback;
  }

  /** null: null or missing. */
  text(name: string): string | null {
    return toText(this.value(name)) ?? null;
  }

  /** null: null or missing. */
  bean(name: string): BeanReader | null {
    return BeanReader.of(this.value(name) ?? null, name);
  }

  /** `undefined`: null or missing. */
  list(name: string): readonly JsonValue[] | undefined {
    return toArray(this.value(name), name) ?? undefined;
  }

  /** The texts of a list, without its nulls; `undefined`: null or missing. */
  textList(name: string): string[] | undefined {
    return textsOf(this.list(name));
  }

  /** The entries of a map, whose keys match exactly; `undefined`: null or missing. */
  entries(name: string): ReadonlyMap<string, JsonValue> | undefined {
    return entriesOf(this.value(name), name);
  }

  /** A map of texts, without entries that are null; `undefined`: null or missing. */
  textMap(name: string): Map<string, string> | undefined {
    return textMapFromJson(this.value(name), name);
  }

  /** A map of lists of texts, without entries that are null; `undefined`: null or missing. */
  textLists(name: string): Map<string, string[]> | undefined {
    const entries = this.entries(name);
    if (entries === undefined) return undefined;
    const lists = new Map<string, string[]>();
    for (const [key, value] of entries) {
      const texts = textsOf(toArray(value, name));
      if (texts !== undefined) lists.set(key, texts);
    }
    return lists;
  }
}

/** A map of texts out of JSON, without entries that are null; `undefined`: null or missing. */
export function textMapFromJson(json: JsonValue | undefined, name: string): Map<string, string> | undefined {
  const entries = entriesOf(json, name);
  if (entries === undefined) return undefined;
  const texts = new Map<string, string>();
  for (const [key, value] of entries) {
    const text = toText(value);
    if (text !== null) texts.set(key, text);
  }
  return texts;
}

/** A bean that must be there. @throws DecodeError `NAME is null` */
export function notNull<T>(value: T | null | undefined, name: string): T {
  if (value == null) throw new DecodeError(`${name} is null`);
  return value;
}

function entriesOf(json: JsonValue | undefined, name: string): ReadonlyMap<string, JsonValue> | undefined {
  // Of a bean `[]` stands for null, of a map it does not (reference: nameserver 2.5.1).
  if (Array.isArray(json)) throw new DecodeError(`the JSON property ${name} should be an object but is an array`);
  const object = toObject(json, name);
  return object == null ? undefined : jsonEntries(object);
}

function textsOf(list: readonly JsonValue[] | null | undefined): string[] | undefined {
  return list?.map((item) => toText(item)).filter((text) => text !== null);
}
