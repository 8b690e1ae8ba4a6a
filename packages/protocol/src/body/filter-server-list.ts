import { DecodeError } from '@rmqns/remoting/command';
import { type JsonValue, toText } from '@rmqns/remoting/json';

/** How many filter servers a broker may have. */
const MAX_FILTER_SERVERS = 10_000;
/** How long the list of a broker's filter servers may be: each route to one of its topics carries it. */
export const MAX_FILTER_SERVER_LIST_BYTES = 256 * 1024;

/**
 * The filter servers of a list out of JSON, without its nulls; numbers and booleans are read as texts, as fastjson does.
 *
 * @throws DecodeError when the list is too long or holds what can be no address
 */
export function filterServersFromJson(list: readonly JsonValue[]): string[] {
  if (list.length > MAX_FILTER_SERVERS) {
    throw new DecodeError(`filterServerList holds ${list.length} servers; a broker may have ${MAX_FILTER_SERVERS}`);
  }
  let length = 0;
  const servers: string[] = [];
  for (const item of list) {
    if (item === null) continue;
    if (typeof item === 'object') throw new DecodeError('filterServerList holds an object or a list, not an address');
    const server = toText(item) ?? '';
    length += server.length;
    servers.push(server);
  }
  if (length > MAX_FILTER_SERVER_LIST_BYTES) {
    throw new DecodeError(`filterServerList is ${length} characters long; it may be ${MAX_FILTER_SERVER_LIST_BYTES}`);
  }
  return servers;
}
