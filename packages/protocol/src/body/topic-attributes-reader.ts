import { DecodeError } from '@rmqns/remoting/command';
import { parseFastJson } from '@rmqns/remoting/json';
import { textMapFromJson } from './bean-reader.js';

/** Longer attributes are read no more than those that are no JSON: a topic has a few of them. */
const MAX_LENGTH = 65_536;

/** To find out that a text is no JSON takes ten times as long as to read it. */
const MAX_UNREADABLE = 1000;

/** Reads the attributes of the topics of one compressed body, most of which have the same. */
export class TopicAttributesReader {
  #text = '';
  #attributes: ReadonlyMap<string, string> | undefined;
  #unreadable = 0;

  /**
   * The attributes in a text; `undefined` where they are none, as upstream has it: no broker is refused for the attributes of a few topics.
   *
   * @throws DecodeError when that happens the 1001st time
   */
  read(text: string): ReadonlyMap<string, string> | undefined {
    if (text !== this.#text) {
      this.#attributes = this.#parse(text);
      this.#text = text;
    }
    return this.#attributes;
  }

  #parse(text: string): ReadonlyMap<string, string> | undefined {
    if (text === '') return undefined;
    try {
      if (text.length > MAX_LENGTH) throw new DecodeError(`the attributes have ${text.length} characters`);
      // An attribute takes 8 characters at least, or there are two at most: denser text is none.
      return textMapFromJson(parseFastJson(text, { maxValues: 2 + text.length / 8 }), 'the attributes');
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      if (++this.#unreadable > MAX_UNREADABLE) {
        throw new DecodeError(
          `the compressed body is refused: more than ${MAX_UNREADABLE} topics have attributes that are no JSON`,
        );
      }
      return undefined;
    }
  }
}
