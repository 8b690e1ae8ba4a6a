import type { Channel } from '../channel/channel.js';
import { RemotingError } from '../errors.js';

/**
 * Tries to connect until it works, or nobody wants it any more; between tries it waits until the address may be dialled again. What is no
 * failed dial, such as an address that is none, ends it.
 */
export async function connectWhenReady(
  connect: () => Promise<Channel>,
  whenDialable: () => Promise<void>,
  isWanted: () => boolean,
): Promise<Channel> {
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!isWanted() || !RemotingError.is(error) || error.code !== 'CONNECT_FAILED') throw error;
      await whenDialable();
      if (!isWanted()) throw error;
    }
  }
}
