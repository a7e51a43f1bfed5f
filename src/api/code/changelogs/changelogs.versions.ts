import { RE2JS } from 're2js';
import { ApiError } from '../../../core/core.errors.ts';
import { peel, type Repository } from '../../../git/repository/index.ts';
import { matchingRegex } from '../../../repositories/ref-search.ts';
import { compareVersions } from '../../../repositories/version-order.ts';
import { ChangelogError } from './changelogs.template.ts';

const NUMBER = '(?:0|[1-9][0-9]*)';
const IDENTIFIER = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const META = '[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*';
/** A semantic version, without a leading `v`. */
export const SEMVER = `${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+${META})?`;
/** Default pattern for tags with versions. */
export const DEFAULT_TAG_REGEX = `^v?(?P<major>${NUMBER})\\.(?P<minor>${NUMBER})\\.(?P<patch>${NUMBER})(?:-(?P<pre>${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+(?P<meta>${META}))?$`;

const WHOLE = new RegExp(`^v?${SEMVER}$`);
export const isVersion = (text: string): boolean => text.length <= 255 && WHOLE.test(text);

function partsOf(version: string): { core: string; pre: string | null } {
  const [withoutMeta = ''] = version.replace(/^v/, '').split('+', 1);
  const dash = withoutMeta.indexOf('-');
  return dash < 0
    ? { core: withoutMeta, pre: null }
    : { core: withoutMeta.slice(0, dash), pre: withoutMeta.slice(dash + 1) };
}

/** Compares two semantic versions: a pre-release precedes its release. */
export function compareSemver(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const order = compareVersions(left.core, right.core);
  if (order !== 0 || left.pre === right.pre) return order;
  if (left.pre === null || right.pre === null) return left.pre === null ? 1 : -1;
  return compareVersions(left.pre, right.pre);
}

/**
 * Returns the commit of the tag with the highest version below the given one, ignoring pre-releases.
 * @param pattern RE2 with the groups `major`, `minor` and `patch`, optionally `pre`
 * @returns null if there is none
 * @throws ChangelogError for an invalid pattern; GitError `timeout`
 */
export async function commitOfVersionBefore(
  repo: Repository,
  version: string,
  pattern: string,
): Promise<string | null> {
  const tags = (await repo.refs.list('refs/tags/')).map(({ name, oid }) => ({
    name: name.slice('refs/tags/'.length),
    oid,
  }));
  const matching = await matchingRegex(tags, ({ name }) => name, pattern).catch((error: unknown) => {
    throw error instanceof ApiError ? new ChangelogError('The tag_regex of the configuration is invalid') : error;
  });
  const expression = RE2JS.compile(pattern);
  const groups = expression.namedGroups();
  if (['major', 'minor', 'patch'].some((name) => groups[name] === undefined)) return null;
  let best: { version: string; oid: string } | null = null;
  for (const { name, oid } of matching) {
    const matcher = expression.matcher(name);
    if (!matcher.find()) continue;
    if (groups.pre !== undefined && matcher.group('pre')) continue;
    const candidate = ['major', 'minor', 'patch'].map((part) => matcher.group(part) ?? '').join('.');
    if (compareSemver(candidate, version) >= 0) continue;
    if (best === null || compareSemver(candidate, best.version) > 0) best = { version: candidate, oid };
  }
  return best === null ? null : peel(repo, best.oid);
}
