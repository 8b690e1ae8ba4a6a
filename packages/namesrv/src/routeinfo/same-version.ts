import { type DataVersion, sameDataVersion } from '@rmqns/protocol';
import type { Profile } from '../profile.js';

/** Whether two versions name the same content. 4.x has no stateVersion and ignores that of 5.x brokers (reference: nameserver 2.13). */
export function sameVersion({ fiveX }: Profile, a: DataVersion, b: DataVersion): boolean {
  return fiveX ? sameDataVersion(a, b) : a.timestamp === b.timestamp && a.counter === b.counter;
}
