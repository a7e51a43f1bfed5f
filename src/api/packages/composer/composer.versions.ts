import { parseSemVer } from '../../../packages/semver.ts';

const NAME = /^[a-z0-9](?:[a-z0-9]|[_.-](?=[a-z0-9]))*\/[a-z0-9](?:[a-z0-9]|(?:[_.]|-{1,2})(?=[a-z0-9]))*$/i;
const MAX_LENGTH = 255;

/** Whether a package name is valid: vendor and name, separated by a slash. */
export const isPackageName = (text: string): boolean => text.length <= MAX_LENGTH && NAME.test(text);

/** Returns the version of a tag; undefined if the tag is not a version. */
export function versionOfTag(tag: string): string | undefined {
  const version = tag.replace(/^v/, '');
  return parseSemVer(version) === null ? undefined : version;
}

/** Returns the version of a branch: that of a release line (`1.2`, `1.x`), or one with its name. */
export function versionOfBranch(branch: string): string {
  const line = /^v?(\d+(?:\.\d+){0,2})(?:\.x)?$/.exec(branch);
  return line === null ? `dev-${branch}` : `${line[1]}.x-dev`;
}
