import type { Static } from 'typebox';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { parseTrailers } from '../../../git/history/index.ts';
import type { DiffStats } from '../../../git/line-diff/index.ts';
import type { Commit, Identity } from '../../../git/objects/index.ts';
import type { CommitJson } from './commits.inputs.ts';
import type { CommitStats } from './commits.responses.ts';

/** Formats the time of a commit in its own time zone: `2026-01-31T09:05:00.000+02:00`. */
export function commitDate({ timestamp, timezone }: Identity): string {
  const sign = timezone.startsWith('-') ? -1 : 1;
  const offset = sign * (Number(timezone.slice(1, 3)) * 60 + Number(timezone.slice(3, 5)));
  const local = new Date((timestamp + offset * 60) * 1000);
  if (Number.isNaN(local.getTime())) return '1970-01-01T00:00:00.000+00:00';
  return `${local.toISOString().slice(0, 23)}${timezone.slice(0, 3)}:${timezone.slice(3, 5)}`;
}

const isSameTime = ({ author, committer }: Commit): boolean =>
  author.timestamp === committer.timestamp && author.timezone === committer.timezone;

/** URL of a project, without a trailing slash. */
export const projectUrl = (deps: Deps, project: Pick<Project, 'full_path'>): string =>
  `${deps.externalUrl()}/${project.full_path}`;

/** Renders the line counts of a commit (part 1, section 2). */
export const presentStats = ({ additions, deletions }: DiffStats): Static<typeof CommitStats> => ({
  additions,
  deletions,
  total: additions + deletions,
});

/**
 * Renders a commit (part 1, section 2).
 * @param webUrl URL of the project
 */
export function presentCommit(commit: Commit, webUrl: string, withTrailers = false): CommitJson {
  const committed = commitDate(commit.committer);
  const end = commit.message.indexOf('\n');
  const trailers = withTrailers ? parseTrailers(commit.message) : undefined;
  return {
    id: commit.oid,
    short_id: commit.oid.slice(0, 8),
    created_at: committed,
    parent_ids: [...commit.parents],
    title: end === -1 ? commit.message : commit.message.slice(0, end).trimEnd(),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: isSameTime(commit) ? committed : commitDate(commit.author),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: committed,
    trailers: trailers?.trailers ?? {},
    extended_trailers: trailers?.extended ?? {},
    web_url: `${webUrl}/-/commit/${commit.oid}`,
  };
}
