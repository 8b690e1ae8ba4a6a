export { encodeUtf8 } from './buffer/utf8.js';
export type { JsonDialect } from './json/escape-json.js';
export type { FastJsonParser } from './json/fast-json-parser.js';
export { toArray, toBoolean, toInt32, toLongValue, toObject, toText } from './json/json-coercion.js';
export { jsonEntries, jsonField } from './json/json-field.js';
export type { JsonShape } from './json/json-shape.js';
export type { JsonObject, JsonValue } from './json/json-value.js';
export { type Long, parseInt32, parseLong, toLong } from './json/long.js';
export {
  type FastJsonParserOptions,
  fastJsonParser,
  type ParseFastJsonOptions,
  parseFastJson,
} from './json/parse-fast-json.js';
export { quoteForPeople } from './json/quote-for-people.js';
export { type JsonKey, type JsonWritable, writeFastJson } from './json/write-fast-json.js';
