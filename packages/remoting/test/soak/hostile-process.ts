/** Hostile peers in a process of their own, so that their work is not the good clients'. Arguments: the server's address, how many. */
import { HostilePeers } from './hostile-peers.js';

const ACTS_EVERY_MILLIS = 100;

const [address = '', count = '0'] = process.argv.slice(2);
const peers = new HostilePeers(address, Number(count));
peers.connect();
const timer = setInterval(() => peers.act(), ACTS_EVERY_MILLIS);
process.on('message', async () => {
  clearInterval(timer);
  await peers.leave();
  process.send?.(peers.closed);
  process.disconnect?.();
});
process.on('disconnect', () => process.exit());
