import { badRequest } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { isOid } from '../../../git/common/index.ts';
import { diffTrees } from '../../../git/diff/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { Noteable } from '../notes/noteable.ts';
import type { Position } from '../notes/notes.responses.ts';
import { fileOf, type PositionInput, resolvePosition } from './position.ts';

const MAX_PATCH = 10 * 1024 * 1024;
const MAX_BLOB = 10 * 1024 * 1024;
const NO_LINE = 'Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';

/**
 * Resolves the position of a thread in the diff of a merge request or commit.
 * @throws ApiError 400 if the diff does not belong to it or has no such line
 */
export async function resolveThreadPosition(
  deps: Deps,
  project: Project,
  noteable: Noteable,
  input: PositionInput,
): Promise<Position> {
  const repo = repositoryOf(deps, project);
  const from = await startOf(deps.db, repo, noteable, input);
  if (from === undefined) throw badRequest(NO_LINE);
  const { old_path, new_path } = input;
  const paths = old_path && new_path ? { paths: [old_path, new_path], maxPatchBytes: MAX_PATCH } : {};
  const { files } = await diffTrees(repo, from, input.head_sha, paths);
  const file = fileOf(files, input);
  if (file === undefined) throw badRequest(NO_LINE);
  const oldLines = input.position_type === 'text' && !file.newFile ? await countLines(repo, file.oldOid) : 0;
  const position = resolvePosition(input, file, oldLines);
  if (position === null) throw badRequest(NO_LINE);
  return from === null ? { ...position, base_sha: null, start_sha: null } : position;
}

/** The commit that the diff starts from, null for the empty tree; undefined if it is not a diff of the noteable. */
async function startOf(
  db: Db,
  repo: Repository,
  noteable: Noteable,
  { base_sha, start_sha, head_sha }: PositionInput,
): Promise<string | null | undefined> {
  if (![base_sha, start_sha, head_sha].every(isOid)) return undefined;
  if (noteable.type === 'Commit') return noteable.sha === head_sha ? parentOf(repo, head_sha, base_sha) : undefined;
  if (noteable.type !== 'MergeRequest') return undefined;
  const known = await db
    .selectFrom('merge_request_diffs')
    .select(['head_commit_sha', 'base_commit_sha', 'start_commit_sha'])
    .where('merge_request_id', '=', noteable.id)
    .where('head_commit_sha', 'in', [head_sha, start_sha])
    .execute();
  const heads = known.filter(({ head_commit_sha }) => head_commit_sha === head_sha);
  const version = heads.some((row) => row.base_commit_sha === base_sha && row.start_commit_sha === start_sha);
  if (version) return base_sha;
  // A comparison of two versions starts from the earlier one.
  if (heads.length > 0 && base_sha === start_sha && known.length > heads.length) return base_sha;
  return (await hasCommit(db, noteable.id, head_sha)) ? parentOf(repo, head_sha, base_sha) : undefined;
}

/** The first parent, if it is the named commit; null for a root commit; undefined otherwise. */
async function parentOf(repo: Repository, sha: string, named: string): Promise<string | null | undefined> {
  const commit = await repo.objects.commit(sha);
  if (commit === null) return undefined;
  const parent = commit.parents[0] ?? null;
  return parent === null || parent === named ? parent : undefined;
}

/** Whether a commit belongs to any version of the merge request. */
export async function hasCommit(db: Db, mergeRequestId: number, sha: string): Promise<boolean> {
  const row = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('sha', '=', sha)
    .where('merge_request_id', '=', mergeRequestId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts the lines of a text file, including a last one without line feed. Files over 10 MiB count as 0 lines. */
async function countLines(repo: Repository, oid: string): Promise<number> {
  const data = (await repo.objects.read(oid, MAX_BLOB))?.data;
  if (data == null || data.length === 0) return 0;
  let lines = data.at(-1) === 10 ? 0 : 1;
  for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) lines += 1;
  return lines;
}
