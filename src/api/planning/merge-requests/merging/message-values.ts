import { usersOfIds } from '../../../../access/find-by-id.ts';
import { pluck } from '../../../../core/pluck.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { listCommits } from '../../../../git/history/index.ts';
import type { Commit } from '../../../../git/objects/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';

/** Data for the messages of a merge. */
export interface MessageSubject {
  mergeRequest: MergeRequest;
  target: Project;
  /** The user who merges. */
  merger: User;
  /** Head of the target branch, and head to merge. */
  tip: string;
  head: string;
  /** Whether it is the message of a squash commit, whose author is the author of the merge request. */
  squash: boolean;
}

type Value = (deps: Deps, subject: MessageSubject) => string | Promise<string>;

/** Maximum number of commits that a message considers: the newest. */
const MAX_RECENT = 100;
const MAX_COMMITS = 10_000;
const MAX_QUOTED = 100 * 1024;

/** Variables of commit message templates, by name. */
export const MESSAGE_VALUES: Readonly<Record<string, Value>> = {
  source_branch: (_, { mergeRequest }) => mergeRequest.source_branch,
  target_branch: (_, { mergeRequest }) => mergeRequest.target_branch,
  title: (_, { mergeRequest }) => mergeRequest.title,
  description: (_, { mergeRequest }) => mergeRequest.description ?? '',
  reference: (_, { mergeRequest, target }) => `${target.full_path}!${mergeRequest.iid}`,
  local_reference: (_, { mergeRequest }) => `!${mergeRequest.iid}`,
  source_project_id: (_, { mergeRequest }) => String(mergeRequest.source_project_id ?? ''),
  url: (deps, { mergeRequest, target }) =>
    `${deps.externalUrl()}/${target.full_path}/-/merge_requests/${mergeRequest.iid}`,
  issues: async ({ db }, { mergeRequest, target }) => {
    const references = await closingIssues(db, mergeRequest, target);
    return references.length === 0 ? '' : `Closes ${sentence(references)}`;
  },
  merged_by: (_, { merger }) => trailer('Merged-by', merger),
  merge_request_author: async ({ db }, { mergeRequest }) => {
    const [author] = await usersOf(db, [mergeRequest.author_id]);
    return author === undefined ? '' : signatureOf(author);
  },
  approved_by: async ({ db }, { mergeRequest }) => {
    const approvals = await db
      .selectFrom('approvals')
      .select('user_id')
      .where('merge_request_id', '=', mergeRequest.id)
      .orderBy('id')
      .execute();
    return trailers('Approved-by', await usersOf(db, pluck(approvals, 'user_id')));
  },
  reviewed_by: async ({ db }, { mergeRequest }) => {
    const reviewers = await db
      .selectFrom('merge_request_reviewers')
      .select('user_id')
      .where('merge_request_id', '=', mergeRequest.id)
      .where('state', 'in', ['reviewed', 'requested_changes', 'approved'])
      .orderBy('created_at')
      .execute();
    return trailers('Reviewed-by', await usersOf(db, pluck(reviewers, 'user_id')));
  },
  co_authored_by: coAuthors,
  first_commit: async (deps, subject) => (await commitsOf(deps, subject)).at(-1)?.message.trim() ?? '',
  first_multiline_commit: async (deps, subject) =>
    (await firstMultiline(deps, subject))?.message.trim() ?? subject.mergeRequest.title,
  first_multiline_commit_description: async (deps, subject) => {
    const multiline = await firstMultiline(deps, subject);
    if (multiline === undefined) return subject.mergeRequest.description ?? '';
    return multiline.message.trim().split('\n').slice(1).join('\n').trim();
  },
  all_commits: async (deps, subject) =>
    (await commitsOf(deps, subject))
      .slice(0, MAX_RECENT)
      .filter(({ parents, message }) => parents.length < 2 && message.length <= MAX_QUOTED)
      .map(({ message }) => `* ${message.trim()}`)
      .toReversed()
      .join('\n\n'),
};

const emailOf = ({ commit_email, email }: User) => commit_email ?? email;
const signatureOf = (user: User) => `${user.name} <${emailOf(user)}>`;
const trailer = (key: string, user: User) => `${key}: ${signatureOf(user)}`;
const trailers = (key: string, users: readonly User[]) => users.map((user) => trailer(key, user)).join('\n');

async function usersOf(db: Db, ids: readonly number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await usersOfIds(db, { ids });
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
}

const sentence = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

async function closingIssues(db: Db, { id }: MergeRequest, target: Project): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_requests_closing_issues')
    .innerJoin('issues', 'issues.id', 'merge_requests_closing_issues.issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.iid', 'issues.project_id', 'projects.full_path', 'projects.path', 'projects.namespace_id'])
    .where('merge_requests_closing_issues.merge_request_id', '=', id)
    .orderBy('issues.id')
    .limit(MAX_RECENT)
    .execute();
  return rows.map(({ iid, project_id, full_path, path, namespace_id }) => {
    if (project_id === target.id) return `#${iid}`;
    return `${namespace_id === target.namespace_id ? path : full_path}#${iid}`;
  });
}

/** The commits of the merge request, newest first. */
async function commitsOf(deps: Deps, { target, tip, head }: MessageSubject): Promise<Commit[]> {
  const repo = repositoryOf(deps, target);
  const oids = await listCommits(repo, { from: [head], not: [tip], order: 'topo', limit: MAX_COMMITS });
  const looked = oids.length > MAX_RECENT ? [...oids.slice(0, MAX_RECENT), ...oids.slice(-MAX_RECENT)] : oids;
  const commits = await Promise.all([...new Set(looked)].map((oid) => repo.objects.commit(oid)));
  return commits.filter((commit) => commit !== null);
}

async function firstMultiline(deps: Deps, subject: MessageSubject): Promise<Commit | undefined> {
  const commits = await commitsOf(deps, subject);
  return commits.findLast(({ parents, message }) => parents.length < 2 && message.trim().includes('\n'));
}

/** `Co-authored-by` lines of the authors of the newest commits, without the author of the commit itself. */
async function coAuthors(deps: Deps, subject: MessageSubject): Promise<string> {
  const { mergeRequest, merger, squash } = subject;
  const [own] = squash ? await usersOf(deps.db, [mergeRequest.author_id]) : [merger];
  const coAuthorLines = new Map<string, string>();
  for (const { author } of (await commitsOf(deps, subject)).slice(0, MAX_RECENT)) {
    const email = author.email.toLowerCase();
    if (own !== undefined && email === emailOf(own).toLowerCase()) continue;
    if (!coAuthorLines.has(email)) coAuthorLines.set(email, `Co-authored-by: ${author.name} <${author.email}>`);
  }
  return [...coAuthorLines.values()].join('\n');
}
