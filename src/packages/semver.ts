const NUMBER = '(?:0|[1-9]\\d*)';
const PRE = `(?:${NUMBER}|\\d*[a-zA-Z-][\\da-zA-Z-]*)`;
const SEMVER = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[\\da-zA-Z-]+(?:\\.[\\da-zA-Z-]+)*)?$`,
);
const MAX_LENGTH = 255;

/** A version by semver.org, 2.0.0. Numbers are texts, because they can exceed safe integers. */
export interface SemVer {
  numbers: readonly [string, string, string];
  /** Identifiers after `-`; empty for a release. */
  prerelease: readonly string[];
}

/** @returns null for an invalid version, or one longer than 255 characters */
export function parseSemVer(text: string): SemVer | null {
  const match = text.length > MAX_LENGTH ? null : SEMVER.exec(text);
  if (match === null) return null;
  const [, major, minor, patch, prerelease = ''] = match;
  return { numbers: [major!, minor!, patch!], prerelease: prerelease === '' ? [] : prerelease.split('.') };
}

/** Compares numbers without leading zeros. */
const compareNumbers = (a: string, b: string): number =>
  a.length === b.length ? (a === b ? 0 : a < b ? -1 : 1) : a.length - b.length;

function compareIdentifiers(a: string, b: string): number {
  const [aNumber, bNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aNumber && bNumber) return compareNumbers(a, b);
  if (aNumber !== bNumber) return aNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Compares the precedence of two versions: negative if `a` is lower, positive if `b` is, 0 if equal. */
export function compareSemVer(a: SemVer, b: SemVer): number {
  for (const [index, number] of a.numbers.entries()) {
    const order = compareNumbers(number, b.numbers[index]!);
    if (order !== 0) return order;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [index, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}
