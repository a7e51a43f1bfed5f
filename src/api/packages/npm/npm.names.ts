import { parseSemVer } from '../../../packages/semver.ts';
import { npmError } from './npm.errors.ts';

const NAME = /^(?:@([\w.+-]+)\/)?[-+._a-zA-Z0-9]+$/;
const MAX_NAME = 255;
const MAX_TAG = 255;
/** Text that npm takes for a version range instead of a tag. */
const RANGE = /^[\s~^<>=v]*(?:\d+|[xX*])(?:\.|$)/;

/** Whether a package name is valid. */
export const isPackageName = (name: string): boolean => name.length <= MAX_NAME && NAME.test(name);

/** Returns the scope of a name without `@`; null if there is none. */
export const scopeOf = (name: string): string | null => NAME.exec(name)?.[1] ?? null;

/** File name of a version, as npm chooses it. */
export const tarballName = (name: string, version: string): string => `${name}-${version}.tgz`;

/** File name in URLs, with or without the scope. */
export function tarballOf(name: string, file: string): string {
  const scope = scopeOf(name);
  return scope === null || file.includes('/') ? file : `@${scope}/${file}`;
}

/** @throws ApiError 400 for a tag that npm could take for a version, or that cannot be stored */
export function checkTag(tag: string): void {
  if (tag === '' || tag.length > MAX_TAG || /[\p{Cc}\s]/u.test(tag) || !tag.isWellFormed()) {
    throw npmError(400, `A tag must have 1 to ${MAX_TAG} characters and no spaces.`);
  }
  if (parseSemVer(tag) !== null || RANGE.test(tag)) throw npmError(400, 'A tag must not look like a version.');
}

/** @throws ApiError 400 */
export function checkVersion(version: string): void {
  if (parseSemVer(version) === null) {
    throw npmError(400, 'Validation failed: Version should follow SemVer: https://semver.org');
  }
}
