import { DecodeError } from '@rmqns/remoting';
import { topicsYamlSchema } from './topic-yaml-schema.js';
import { decodeTopicsJson, type SourceTopics } from './topics-json.js';

const OPENING_BRACKET = 0x5b;

/**
 * Reads what an HTTP server or a command tells: the form of a broker's `topics.json`, or a JSON list of topics as `static` of the
 * configuration has them. An empty list is a table without topics.
 *
 * @throws DecodeError when it is neither
 */
export function decodeTopicList(bytes: Uint8Array): SourceTopics {
  const text = withoutByteOrderMark(bytes);
  const first = text.find((byte) => byte > 0x20);
  if (first === undefined) throw new DecodeError('it is empty');
  if (first !== OPENING_BRACKET) return decodeTopicsJson(text);
  const { success, data, error } = topicsYamlSchema.safeParse(parseJson(text));
  if (!success) {
    const [issue] = error.issues;
    throw new DecodeError(`topic ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const table = new Map(data.map((topic) => [topic.topicName ?? '', topic]));
  if (table.size < data.length) throw new DecodeError('it names a topic twice');
  return { table };
}

/** Programs of Windows begin a text with one. */
function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new DecodeError('it is no JSON text', { cause });
  }
}
