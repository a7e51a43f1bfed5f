import { tipOf } from '../../api/planning/index.ts';
import { settingsOf } from '../../api/spaces/index.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { listCommits } from '../../git/history/index.ts';
import { type Repository, withAlternates } from '../../git/repository/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import type { PushedBranch } from './pushed.ts';

/** Maximum number of commits examined. */
const MAX_COMMITS = 100;
const MAX_TITLE = 255;

export interface DefaultText {
  title: string;
  description: string | null;
}

/**
 * Default title and description of a merge request: those of its only commit, else of its first commit with a body,
 * else the branch name. The project's template precedes the commit text.
 */
export async function defaultText(
  deps: Deps,
  ends: { source: Project; target: Project; targetBranch: string },
  branch: PushedBranch,
): Promise<DefaultText> {
  const messages = await messagesOf(deps, ends, branch.head);
  const chosen = messages.length === 1 ? messages[0]! : messages.findLast((each) => each.body !== '');
  const template = settingsOf(ends.target).merge_requests_template || null;
  const title = [...(chosen?.title || humanized(branch.name))].slice(0, MAX_TITLE).join('');
  return { title, description: template ?? (chosen?.body || null) };
}

const humanized = (branch: string): string => {
  const words = branch.replace(/[-_]+/g, ' ').trim() || branch;
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Messages of the commits that the branch adds to the target, newest first. */
async function messagesOf(
  deps: Deps,
  { source, target, targetBranch }: { source: Project; target: Project; targetBranch: string },
  head: string,
): Promise<{ title: string; body: string }[]> {
  const start = await tipOf(deps, target, targetBranch);
  if (start === null) return [];
  const read = async (repo: Repository) => {
    const oids = await listCommits(repo, { from: [head], not: [start], limit: MAX_COMMITS });
    const commits = await Promise.all(oids.map((oid) => repo.objects.commit(oid)));
    return commits.flatMap((commit) => (commit === null ? [] : [splitMessage(commit.message)]));
  };
  const [from, to] = [source, target].map((each) => repositoryOf(deps, each)) as [Repository, Repository];
  return source.id === target.id ? read(from) : ((await withAlternates(from, to, read)) ?? []);
}

function splitMessage(message: string): { title: string; body: string } {
  const [title = '', ...rest] = message.trim().split('\n');
  return { title: title.trim(), body: rest.join('\n').trim() };
}
