import { GetRouteInfoByTopic } from '@rmqns/protocol';
import { decodeHeader, type HeaderOutput, type RemotingCommand } from '@rmqns/remoting';
import { ownString } from '../routeinfo/own-string.js';

/** What a route lookup asks for. */
export type RouteLookup = HeaderOutput<typeof GetRouteInfoByTopic.request>;

/** Lookups that are kept; some 10 MB at most. */
const MAX_KEPT = 32_768;
/** Longer ones are nobody's habit. */
const MAX_TEXT_LENGTH = 256;

/**
 * Reads what lookups ask for. Clients ask for the same topics in the same words all the time, so what was read of such words is kept: that takes a
 * third of the time.
 */
export class RouteLookups {
  readonly #kept = new Map<string, RouteLookup>();

  /** The number of lookups kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** @throws DecodeError when the header is not what the command says */
  of(request: RemotingCommand): RouteLookup {
    const text = request.extFieldsText;
    if (text === undefined || text.length > MAX_TEXT_LENGTH)
      return decodeHeader(GetRouteInfoByTopic.request, request.extFields);
    return this.#kept.get(text) ?? this.#read(text, request);
  }

  #read(text: string, request: RemotingCommand): RouteLookup {
    const header = decodeHeader(GetRouteInfoByTopic.request, request.extFields);
    const { topic } = header;
    const lookup = topic === undefined ? header : { ...header, topic: ownString(topic) };
    // All at once, which whoever asks for ever new topics pays for, and nobody else.
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(text, lookup);
    return lookup;
  }
}
