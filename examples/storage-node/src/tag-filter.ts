import { messageProperty } from './message-properties.js';
import { decodeStoredMessage } from './stored-message.js';

/** Whether a consumer wants a message, given as its stored bytes. */
export type MessageFilter = (bytes: Buffer) => boolean;

export const everyMessage: MessageFilter = () => true;

/**
 * What a subscription wants: `*` or nothing is all, else tags joined by `||` (upstream: `FilterAPI.buildSubscriptionData`). A message
 * without tag is wanted only by who wants all.
 */
export function tagFilter(subscription: string): MessageFilter {
  const tags = new Set(subscription.split('||').map((tag) => tag.trim()));
  tags.delete('');
  if (tags.size === 0 || tags.has('*')) return everyMessage;
  return (bytes) => {
    const properties = Buffer.from(decodeStoredMessage(bytes).properties).toString('utf8');
    return tags.has(messageProperty(properties, 'TAGS') ?? '');
  };
}
