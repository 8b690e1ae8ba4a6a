/**
 * Release numbers as they travel in `version`: places in upstream's list of release names, compared as plain integers
 * (upstream: `MQVersion`; reference: remoting 2.5).
 */
export const MqVersion = {
  /** From here a registration's body is a RegisterBrokerBody; before, a bare topic table. */
  V3_0_11: 37,
  V4_7_1: 355,
  /** From here clients read standard JSON. */
  V4_9_4: 401,
  V4_9_7: 407,
  /** From here a compressed registration ends with the mappings of static topics. */
  V5_0_0: 413,
  V5_3_1: 475,
  V5_3_3: 479,
  /** The end of the list; every larger number counts as this one. */
  HIGHER_VERSION: 612,
} as const;

/** The ordinal of a release from 4.0.0 on; its snapshot's is one less. */
export function versionOrdinal(major: number, minor: number, patch: number): number {
  return 213 + ((major - 4) * 100 + minor * 10 + patch) * 2;
}

const FIRST_NAMES = [
  'V3_0_0_SNAPSHOT',
  'V3_0_0_ALPHA1',
  'V3_0_0_BETA1',
  'V3_0_0_BETA2',
  'V3_0_0_BETA3',
  'V3_0_0_BETA4',
  'V3_0_0_BETA5',
  'V3_0_0_BETA6_SNAPSHOT',
  'V3_0_0_BETA6',
  'V3_0_0_BETA7_SNAPSHOT',
  'V3_0_0_BETA7',
  'V3_0_0_BETA8_SNAPSHOT',
  'V3_0_0_BETA8',
  'V3_0_0_BETA9_SNAPSHOT',
  'V3_0_0_BETA9',
  'V3_0_0_FINAL',
] as const;

/**
 * Upstream's name of an ordinal: `V5_3_3` for 479, `V5_3_3_SNAPSHOT` for 478. Beyond the list `HIGHER_VERSION`, as upstream; a
 * negative or fractional number, where upstream faults, is `UNKNOWN(n)`.
 */
export function versionName(ordinal: number): string {
  if (!Number.isInteger(ordinal) || ordinal < 0) return `UNKNOWN(${ordinal})`;
  if (ordinal >= MqVersion.HIGHER_VERSION) return 'HIGHER_VERSION';
  const first = FIRST_NAMES[ordinal];
  if (first !== undefined) return first;
  const name = releaseName((ordinal - FIRST_NAMES.length) >> 1);
  return ordinal % 2 === 0 ? `${name}_SNAPSHOT` : name;
}

/** The list after 3.0.0: 3.0.1 to 3.0.15, ten patches each of 3.1 and 3.2, nine (from 1) each of 3.3 to 3.9, then ten each from 4.0. */
function releaseName(index: number): string {
  if (index < 15) return `V3_0_${index + 1}`;
  if (index < 35) return `V3_${Math.floor((index - 5) / 10)}_${(index - 5) % 10}`;
  if (index < 98) return `V3_${3 + Math.floor((index - 35) / 9)}_${((index - 35) % 9) + 1}`;
  const release = index - 98;
  return `V${4 + Math.floor(release / 100)}_${Math.floor(release / 10) % 10}_${release % 10}`;
}
