/**
 * Hostile peers in a process of their own, so that their work is not the good clients'. Arguments: the server's address, how many. Connects them all
 * and says so; they act once it is told to, and leave when it is told anything else.
 */
import { HostilePeers } from './hostile-peers.js';

const ACTS_EVERY_MILLIS = 100;

const [address = '', count = '0'] = process.argv.slice(2);
const peers = new HostilePeers(address, Number(count));
let timer: NodeJS.Timeout | undefined;
process.on('message', async (told) => {
  if (told === 'act') {
    timer = setInterval(() => peers.act(), ACTS_EVERY_MILLIS);
    return;
  }
  clearInterval(timer);
  await peers.leave();
  process.send?.(peers.closed);
  process.disconnect?.();
});
process.on('disconnect', () => process.exit());
await peers.connect();
process.send?.('connected');
