import { parseSemVer } from '../../../packages/semver.ts';

const NAME = /^[a-z0-9](?:[a-z0-9]|[_.-](?=[a-z0-9]))*\/[a-z0-9](?:[a-z0-9]|(?:[_.]|-{1,2})(?=[a-z0-9]))*$/i;
const MAX_LENGTH = 255;

/** Whether a package can be called so: vendor and name, with a slash between them. */
export const isPackageName = (text: string): boolean => text.length <= MAX_LENGTH && NAME.test(text);

/** The version that a tag stands for; undefined where it is none. */
export function versionOfTag(tag: string): string | undefined {
  const version = tag.replace(/^v/, '');
  return parseSemVer(version) === null ? undefined : version;
}

/** The version that a branch stands for: that of a line of releases (`1.2`, `1.x`), or one by its name. */
export function versionOfBranch(branch: string): string {
  const line = /^v?(\d+(?:\.\d+){0,2})(?:\.x)?$/.exec(branch);
  return line === null ? `dev-${branch}` : `${line[1]}.x-dev`;
}
