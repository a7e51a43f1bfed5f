import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import type { Commit } from '../git/objects/index.ts';
import { type Repository, resolveRevision } from '../git/repository/index.ts';
import type { MentionLink } from '../markup/mentions.ts';
import { repositoryOf } from '../repositories/change-refs.ts';
import type { FindLinks, PlacedMention } from './placed-mention.ts';

/** Maximum number of commits that are looked up for one text. */
const MAX_COMMITS = 50;
/** Number of digits that are shown of an id. */
const SHOWN = 8;

/** Commits, and ranges of commits. */
export const commitLinks: FindLinks = async (deps, _reader, mentions) => {
  const links = new Map<PlacedMention, MentionLink>();
  let left = MAX_COMMITS;
  for (const mention of mentions) {
    const { project, permissions } = mention.place;
    if (left <= 0 || !permissions.can('read_code')) continue;
    const repo = repositoryOf(deps, project);
    const [from, dots, to] = mention.value.split(/(\.{2,3})/);
    left -= to === undefined ? 1 : 2;
    const commits = await Promise.all([commitOf(repo, from!), ...(to === undefined ? [] : [commitOf(repo, to)])]);
    const link = linkOf(deps, mention, commits, dots ?? '');
    if (link !== undefined) links.set(mention, link);
  }
  return links;
};

function linkOf(
  deps: Deps,
  { place: { project }, prefix }: PlacedMention,
  [from, to]: (Commit | null)[],
  dots: string,
): MentionLink | undefined {
  if (from === null || from === undefined || to === null) return undefined;
  const url = `${deps.externalUrl()}/${project.full_path}/-`;
  const before = prefix === '' ? '' : `${prefix}@`;
  if (to === undefined) {
    return {
      href: `${url}/commit/${from.oid}`,
      title: from.message.split('\n', 1)[0]!.slice(0, 255).toWellFormed(),
      text: before + from.oid.slice(0, SHOWN),
      data: { project: project.id, commit: from.oid },
    };
  }
  return {
    href: `${url}/compare/${from.oid}${dots}${to.oid}`,
    title: '',
    text: `${before}${from.oid.slice(0, SHOWN)}${dots}${to.oid.slice(0, SHOWN)}`,
    data: { project: project.id, 'commit-from': from.oid, 'commit-to': to.oid },
  };
}

/** The commit that an id or the beginning of one means; null if there is none, or the repository is damaged. */
async function commitOf(repo: Repository, id: string): Promise<Commit | null> {
  try {
    const revision = await resolveRevision(repo, id);
    // A branch may be called like the beginning of an id.
    return revision?.oid.startsWith(id) === true ? await repo.objects.commit(revision.oid) : null;
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
