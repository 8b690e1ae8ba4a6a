import { expect } from 'chai';
import { MqVersion, versionName, versionOrdinal } from '../src/index.js';

describe('MqVersion', () => {
  it('has the ordinals of the releases that rules hang on', () => {
    expect(MqVersion).to.deep.equal({
      V3_0_11: 37,
      V4_7_1: 355,
      V4_9_4: 401,
      V4_9_7: 407,
      V5_0_0: 413,
      V5_3_1: 475,
      V5_3_3: 479,
      HIGHER_VERSION: 612,
    });
  });

  it('computes the ordinal of any release from 4.0.0 on', () => {
    const rows: [number, number, number, number][] = [
      [4, 0, 0, 213],
      [4, 1, 0, 233],
      [4, 7, 1, 355],
      [4, 9, 3, 399],
      [4, 9, 6, 405],
      [5, 0, 0, 413],
      [5, 1, 0, 433],
      [5, 3, 3, 479],
      [5, 9, 9, 611],
    ];
    for (const [major, minor, patch, ordinal] of rows) {
      expect(versionOrdinal(major, minor, patch)).to.equal(ordinal);
      expect(versionName(ordinal)).to.equal(`V${major}_${minor}_${patch}`);
      expect(versionName(ordinal - 1)).to.equal(`V${major}_${minor}_${patch}_SNAPSHOT`);
    }
  });

  it('names the releases of 3.x, whose numbers have gaps', () => {
    const rows: [number, string][] = [
      [0, 'V3_0_0_SNAPSHOT'],
      [15, 'V3_0_0_FINAL'],
      [16, 'V3_0_1_SNAPSHOT'],
      [36, 'V3_0_11_SNAPSHOT'],
      [37, 'V3_0_11'],
      [45, 'V3_0_15'],
      [47, 'V3_1_0'],
      [85, 'V3_2_9'],
      [86, 'V3_3_1_SNAPSHOT'],
      [121, 'V3_4_9'],
      [211, 'V3_9_9'],
    ];
    for (const [ordinal, name] of rows) expect(versionName(ordinal)).to.equal(name);
  });

  it('calls every ordinal past the list HIGHER_VERSION, and one before it unknown', () => {
    expect(versionName(611)).to.equal('V5_9_9');
    expect(versionName(612)).to.equal('HIGHER_VERSION');
    expect(versionName(2147483647)).to.equal('HIGHER_VERSION');
    expect(versionName(-1)).to.equal('UNKNOWN(-1)');
  });

  it('gives each ordinal its own name', () => {
    const names = Array.from({ length: 613 }, (_, ordinal) => versionName(ordinal));
    expect(new Set(names).size).to.equal(613);
  });
});
