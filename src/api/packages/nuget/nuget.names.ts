import { invalidParameter } from '../../../core/core.errors.ts';

const ID = /^[-+._a-zA-Z0-9]{1,100}$/;
const VERSION =
  /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const MAX_VERSION = 255;

/** Identity of a package version: name and normalized version, in lower case. */
export interface PackageKeys {
  nameKey: string;
  versionKey: string;
}

export const nameKeyOf = (name: string): string => name.toLowerCase();

/**
 * Normalizes a version as NuGet does, in lower case: three numbers, a fourth unless it is 0, and the part after `-`;
 * the part after `+` is ignored. Undefined for an invalid version.
 */
export function versionKeyOf(version: string): string | undefined {
  const match = version.length > MAX_VERSION ? null : VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, minor, patch = '0', revision = '0', pre = ''] = match;
  const numbers = [major, minor, patch, revision].map(Number);
  if (numbers[3] === 0) numbers.pop();
  return `${numbers.join('.')}${pre.toLowerCase()}`;
}

/** @throws ApiError 400 */
export function keysOf(name: string, version: string): PackageKeys {
  const versionKey = versionKeyOf(version);
  if (!ID.test(name)) throw invalidParameter('package_name is invalid');
  if (versionKey === undefined) throw invalidParameter('package_version is invalid');
  return { nameKey: nameKeyOf(name), versionKey };
}

/** File name of a package, or of its symbols. */
export const fileNameOf = ({ nameKey, versionKey }: PackageKeys, extension: 'nupkg' | 'snupkg'): string =>
  `${nameKey}.${versionKey}.${extension}`;

/** Returns the stored name of a file of a version, however the version is written; undefined for any other file. */
export function storedName(keys: PackageKeys, fileName: string): string | undefined {
  const [, stem, extension] = /^(.+)\.(s?nupkg)$/i.exec(fileName) ?? [];
  if (stem === undefined || !stem.toLowerCase().startsWith(`${keys.nameKey}.`)) return undefined;
  if (versionKeyOf(stem.slice(keys.nameKey.length + 1)) !== keys.versionKey) return undefined;
  return fileNameOf(keys, extension!.toLowerCase() as 'nupkg' | 'snupkg');
}

/** Compares normalized versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < 4; index += 1) {
    const order = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (order !== 0) return order;
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (const [index, part] of left.pre.entries()) {
    const other = right.pre[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return left.pre.length - right.pre.length;
}

function split(key: string): { numbers: number[]; pre: string[] } {
  const dash = key.indexOf('-');
  const [numbers, pre] = dash === -1 ? [key, ''] : [key.slice(0, dash), key.slice(dash + 1)];
  return { numbers: numbers.split('.').map(Number), pre: pre === '' ? [] : pre.split('.') };
}

function comparePart(a: string, b: string): number {
  const [aNumber, bNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aNumber !== bNumber) return aNumber ? -1 : 1;
  if (aNumber) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
