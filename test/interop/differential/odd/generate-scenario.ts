import type { ApacheVersion } from '@rmqns/test-kit';
import { Random } from '../random.js';
import { addWithOddHeader } from './odd-headers.js';
import { addOddRegistration, addRegistration } from './odd-registrations.js';
import { addWithOddBody, addWithOddField, soundRequest } from './odd-requests.js';
import type { OddScenario } from './odd-step.js';
import { Scene } from './scene.js';

/** A few requests that nobody's library would send, most often about a broker that is registered; one of a seed's many. */
export function generateScenario(version: ApacheVersion, seed: number, nth: number): OddScenario {
  const random = new Random(seed * 100_003 + nth);
  const scene = new Scene(version, random, `s${nth}x`);
  if (!random.once(3)) addRegistration(scene);
  for (let count = 1 + random.below(4); count > 0; count--) {
    random.weighted<() => void>([
      [10, () => addOddRegistration(scene)],
      [5, () => addWithOddHeader(scene)],
      [12, () => addWithOddField(scene, soundRequest(scene))],
      [4, () => addWithOddBody(scene)],
    ])();
  }
  return scene.scenario;
}
