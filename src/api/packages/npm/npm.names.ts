import { parseSemVer } from '../../../packages/semver.ts';
import { npmError } from './npm.errors.ts';

const NAME = /^(?:@([\w.+-]+)\/)?[-+._a-zA-Z0-9]+$/;
const MAX_NAME = 255;
const MAX_TAG = 255;
/** What npm takes for a range of versions where it looks for a tag. */
const RANGE = /^[\s~^<>=v]*(?:\d+|[xX*])(?:\.|$)/;

/** Whether a package can have the name. */
export const isPackageName = (name: string): boolean => name.length <= MAX_NAME && NAME.test(name);

/** The scope of a name, without its `@`; null where it has none. */
export const scopeOf = (name: string): string | null => NAME.exec(name)?.[1] ?? null;

/** What the file of a version is called, as npm names it. */
export const tarballName = (name: string, version: string): string => `${name}-${version}.tgz`;

/** What a file of a package is called, as its address names it: with the scope before it, or without. */
export function tarballOf(name: string, file: string): string {
  const scope = scopeOf(name);
  return scope === null || file.includes('/') ? file : `@${scope}/${file}`;
}

/** @throws ApiError 400 for what npm could not tell from a version, and what cannot be stored */
export function checkTag(tag: string): void {
  if (tag === '' || tag.length > MAX_TAG || /[\p{Cc}\s]/u.test(tag) || !tag.isWellFormed()) {
    throw npmError(400, `A tag has 1 to ${MAX_TAG} characters, and no spaces.`);
  }
  if (parseSemVer(tag) !== null || RANGE.test(tag)) throw npmError(400, 'A tag must not look like a version.');
}

/** @throws ApiError 400 */
export function checkVersion(version: string): void {
  if (parseSemVer(version) === null) {
    throw npmError(400, 'Validation failed: Version should follow SemVer: https://semver.org');
  }
}
