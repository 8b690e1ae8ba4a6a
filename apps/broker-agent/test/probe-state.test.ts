import { expect } from 'chai';
import fc from 'fast-check';
import type { Health } from '../src/health-gate.js';
import { combine, newProbeState, observe } from '../src/probe-state.js';

describe('the state of a probe', () => {
  it('turns after as many passes or failures in a row as its rules say, and tells since when', () => {
    const rules = { rise: 2, fall: 3 };
    const looks = [true, false, true, true, false, false, true, false, false, false];
    let state = newProbeState('failing', 0);
    const seen: string[] = [];
    for (const [index, passed] of looks.entries()) {
      state = observe(state, passed, rules, (index + 1) * 10);
      seen.push(`${state.health} ${state.contrary} ${state.sinceMillis}`);
    }
    expect(seen).to.deep.equal([
      'failing 1 0',
      'failing 0 0',
      'failing 1 0',
      'passing 0 40',
      'passing 1 40',
      'passing 2 40',
      'passing 0 40',
      'passing 1 40',
      'passing 2 40',
      'failing 0 100',
    ]);
  });

  it('is, whatever was seen, that of the last run that was long enough', () => {
    const count = fc.integer({ min: 1, max: 4 });
    const initial = fc.constantFrom<Health>('passing', 'failing');
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), count, count, initial, (looks, rise, fall, first) => {
        let state = newProbeState(first, 0);
        for (const passed of looks) state = observe(state, passed, { rise, fall }, 1);
        let model = first;
        for (let end = 1; end <= looks.length; end++) {
          const seen = looks.slice(0, end);
          if (seen.length >= rise && seen.slice(-rise).every((passed) => passed)) model = 'passing';
          if (seen.length >= fall && seen.slice(-fall).every((passed) => !passed)) model = 'failing';
        }
        expect(state.health).to.equal(model);
      }),
    );
  });
});

describe('the health of several probes', () => {
  const cases: [Health[], Health, Health][] = [
    [[], 'passing', 'passing'],
    [['passing'], 'passing', 'passing'],
    [['failing'], 'failing', 'failing'],
    [['passing', 'failing'], 'failing', 'passing'],
    [['failing', 'failing'], 'failing', 'failing'],
  ];
  for (const [probes, all, any] of cases)
    it(`of [${probes.join(', ')}] is ${all} with mode all and ${any} with any`, () => {
      expect(combine(probes, 'all')).to.equal(all);
      expect(combine(probes, 'any')).to.equal(any);
    });
});
