import { invalidParameter } from '../../../core/core.errors.ts';

const ID = /^[-+._a-zA-Z0-9]{1,100}$/;
const VERSION =
  /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const MAX_VERSION = 255;

/** What packages are told apart by: their names and normalised versions in small letters. */
export interface PackageKeys {
  nameKey: string;
  versionKey: string;
}

export const nameKeyOf = (name: string): string => name.toLowerCase();

/**
 * A version as NuGet normalises it, in small letters: three numbers, a fourth unless it is 0, and what stands after `-`;
 * what stands after `+` counts for nothing. Undefined for what is no version.
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

/** The file of a package, or its symbols. */
export const fileNameOf = ({ nameKey, versionKey }: PackageKeys, extension: 'nupkg' | 'snupkg'): string =>
  `${nameKey}.${versionKey}.${extension}`;

/** Which of the files of a version is meant by a name, however the version in it is written; undefined for none. */
export function storedName(keys: PackageKeys, fileName: string): string | undefined {
  const [, stem, extension] = /^(.+)\.(s?nupkg)$/i.exec(fileName) ?? [];
  if (stem === undefined || !stem.toLowerCase().startsWith(`${keys.nameKey}.`)) return undefined;
  if (versionKeyOf(stem.slice(keys.nameKey.length + 1)) !== keys.versionKey) return undefined;
  return fileNameOf(keys, extension!.toLowerCase() as 'nupkg' | 'snupkg');
}

/** The order of normalised versions. */
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
