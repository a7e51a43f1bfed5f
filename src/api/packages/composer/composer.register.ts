import { ApiError, notFound } from '../../../core/core.errors.ts';
import { isDatabaseText } from '../../../core/database-text.ts';
import { parseJson } from '../../../db/columns.ts';
import { lockInstance } from '../../../db/lock-row.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { type PublishTransaction, publish } from '../../../packages/package-registry.publish.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { isPackageName, versionOfBranch, versionOfTag } from './composer.versions.ts';

/** Maximum size of composer.json, which responses repeat for each version. */
const MAX_FILE = 64 * 1024;
/** Number of earlier commits kept per version, which lock files may still refer to. */
const MAX_EARLIER = 100;

/** Stored metadata of a version, in this order: `versionAt` searches for commits before `composer_json`. */
export interface ComposerFacts {
  /** The commit. */
  sha: string;
  previousShas: string[];
  /** Content of composer.json. */
  composer_json: Record<string, unknown>;
}

const invalid = (text: string) => new ApiError(400, `400 Bad request - Validation failed: ${text}`);

/**
 * Registers a version for a tag or branch, or moves it to the current commit.
 * @throws ApiError 400, 401, 403, 404, 422
 */
export async function registerVersion(
  { deps, caller }: BaseContext,
  project: Project,
  { tag, branch = '' }: { tag?: string | undefined; branch?: string | undefined },
): Promise<void> {
  const repo = repositoryOf(deps, project);
  const ref = tag === undefined ? `refs/heads/${branch}` : `refs/tags/${tag}`;
  const commit = await resolveRevision(repo, ref);
  if (commit?.ref !== ref) throw notFound(tag === undefined ? 'Branch' : 'Tag');
  const composer_json = await composerFile(repo, commit.oid);
  const { name } = composer_json;
  if (typeof name !== 'string' || !isPackageName(name)) throw invalid('Name is invalid');
  const version = tag === undefined ? versionOfBranch(branch) : versionOfTag(tag);
  if (version === undefined || version.length > 255) throw invalid('Version is invalid');
  const publication = { caller, projectId: project.id, type: 'composer', name, version, files: [] };
  await publish(deps, publication, async (publishing) => {
    await requireOwnName(publishing);
    const { db, row, isNew } = publishing;
    const before = isNew ? undefined : parseJson<ComposerFacts>(row.metadata);
    const shas = before === undefined ? [] : [before.sha, ...before.previousShas];
    const earlier = shas.filter((sha) => sha !== commit.oid).slice(0, MAX_EARLIER);
    const facts: ComposerFacts = { sha: commit.oid, previousShas: earlier, composer_json };
    await db
      .updateTable('packages')
      .set({ name, metadata: JSON.stringify(facts) })
      .where('id', '=', row.id)
      .execute();
  });
}

/** @throws ApiError 422 */
async function composerFile(repo: Repository, commit: string): Promise<Record<string, unknown>> {
  const entry = await entryAt(repo, commit, 'composer.json');
  const blob = entry?.mode.startsWith('100') ? await repo.objects.read(entry.oid, MAX_FILE) : null;
  if (blob === null) throw new ApiError(422, 'The file composer.json was not found.');
  if (blob.data === null)
    throw new ApiError(422, `The file composer.json is too large (maximum is ${MAX_FILE} bytes).`);
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(blob.data));
  } catch {
    content = null;
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content) || !isDatabaseText(content)) {
    throw new ApiError(422, 'Could not parse composer.json file. Invalid JSON.');
  }
  return content as Record<string, unknown>;
}

/** A name is one package across the instance, so it belongs to one project. @throws ApiError 400 */
async function requireOwnName({ db, row }: PublishTransaction): Promise<void> {
  await lockInstance(db);
  const other = await db
    .selectFrom('packages')
    .select('id')
    .where('package_type', '=', 'composer')
    .where('name_key', '=', row.name_key)
    .where('project_id', '<>', row.project_id)
    .where('status', '<>', 'pending_destruction')
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) throw invalid('Name is already taken by another project');
}
