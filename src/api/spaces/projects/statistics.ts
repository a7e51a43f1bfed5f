import { FINISHED, isOneOf, type State } from '../../../ci/states.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { countCommits } from '../../../git/history/index.ts';
import { repositorySize } from '../../../git/repository/index.ts';
import { type LanguageShare, languagesOf } from '../../../git/trees/index.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { COUNT_PACKAGES_SIZE, packagesSize } from '../../../packages/package-registry.size.ts';
import {
  artifactsSize,
  COUNT_ARTIFACTS_SIZE,
  enqueueArtifactsSize,
} from '../../../pipelines/artifacts/pipeline-artifacts.size.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { ProjectStatistics } from './projects.responses.ts';
import { statisticsOf } from './projects.views.ts';

const COUNT = jobKind<{ project_id: number }>('project.statistics', { lane: 'slow' });
/** Delay after a push, so that one measurement serves several pushes. */
const PAUSE_MS = 10_000;
const SIZE_OF_SNIPPET = jobKind<{ snippet_id: number }>('project.snippet_size', { lane: 'slow' });
/** Statistics that add up to the storage size of a project. */
const SIZES = [
  'repository_size',
  'wiki_size',
  'lfs_objects_size',
  'job_artifacts_size',
  'pipeline_artifacts_size',
  'packages_size',
  'snippets_size',
  'uploads_size',
] as const;

/** Enqueues the measurement of a project's statistics; pending requests are merged. */
export async function enqueueStatistics(deps: Deps, db: Db, projectId: number): Promise<void> {
  await deps.jobs.enqueue(
    db,
    COUNT,
    { project_id: projectId },
    { uniqueKey: projectId, projectId, runAt: new Date(deps.clock.now().getTime() + PAUSE_MS) },
  );
}

/** Registers updates of statistics and languages after pushes, pipelines and changes of packages. */
export function registerStatistics(deps: Deps): void {
  deps.jobs.register(COUNT, ({ project_id }) => count(deps, project_id));
  deps.events.followUp(['push'], COUNT, PAUSE_MS);
  deps.jobs.register(COUNT_ARTIFACTS_SIZE, async ({ project_id }) => {
    await writeStatistics(deps, project_id, { job_artifacts_size: await artifactsSize(deps.db, project_id) });
  });
  deps.jobs.register(COUNT_PACKAGES_SIZE, async ({ project_id }) => {
    await writeStatistics(deps, project_id, { packages_size: await packagesSize(deps.db, project_id) });
  });
  deps.jobs.register(SIZE_OF_SNIPPET, ({ snippet_id }) => countSnippet(deps, snippet_id));
  deps.events.subscribe({
    name: 'project.snippets_size',
    types: ['snippet.created', 'snippet.pushed', 'snippet.updated', 'snippet.destroyed'],
    wants: ({ project_id }) => project_id !== null,
    handle: async ({ type, project_id: projectId, payload: { snippet_id } }) => {
      if (type === 'snippet.destroyed') return enqueueStatistics(deps, deps.db, projectId!);
      const runAt = new Date(deps.clock.now().getTime() + PAUSE_MS);
      await deps.jobs.enqueue(deps.db, SIZE_OF_SNIPPET, { snippet_id }, { uniqueKey: snippet_id, projectId, runAt });
    },
  });
  deps.events.subscribe({
    name: 'project.artifacts_size',
    types: ['pipeline.updated'],
    wants: ({ payload: { status, source } }) => source !== 'external' && isOneOf(FINISHED, status as State),
    handle: ({ payload: { project_id } }) => enqueueArtifactsSize(deps, deps.db, [project_id]),
  });
}

/** Measures a project snippet that was created or changed; deleted ones no longer count. */
async function countSnippet(deps: Deps, id: number): Promise<void> {
  const snippet = await deps.db
    .selectFrom('snippets')
    .select(['project_id', 'repository_storage', 'disk_path'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (snippet === undefined || snippet.project_id === null) return;
  const repository_size = await repositorySize(repositoryOf(deps, snippet).dir);
  await deps.db.updateTable('snippets').set({ repository_size }).where('id', '=', id).execute();
  await writeStatistics(deps, snippet.project_id, { snippets_size: await snippetsSize(deps.db, snippet.project_id) });
}

/** Total size of the repositories of a project's snippets in bytes. */
async function snippetsSize(db: Db, projectId: number): Promise<number> {
  const { total } = await db
    .selectFrom('snippets')
    .select(({ fn }) => fn.sum<number | string | null>('repository_size').as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

async function count(deps: Deps, id: number): Promise<void> {
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
  if (project === undefined) return;
  const repo = repositoryOf(deps, project);
  const tip = await repo.refs.tip().catch(nothingIfDamaged);
  const commits = tip === null ? 0 : await countCommits(repo, [tip]);
  const languages = tip === null ? [] : await languagesOf(repo, tip).catch(nothingIfTooLarge);
  const { total } = await deps.db
    .selectFrom('lfs_objects')
    .select(({ fn }) => fn.sum<number | null>('size').as('total'))
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  const uploads = await deps.db
    .selectFrom('uploads')
    .select(({ fn }) => fn.sum<number | null>('size').as('total'))
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  await writeStatistics(deps, id, {
    commit_count: commits,
    repository_size: await repositorySize(repo.dir),
    lfs_objects_size: Number(total ?? 0),
    uploads_size: Number(uploads.total ?? 0),
    job_artifacts_size: await artifactsSize(deps.db, id),
    packages_size: await packagesSize(deps.db, id),
    snippets_size: await snippetsSize(deps.db, id),
  });
  if (languages !== null) await writeLanguages(deps, id, languages);
}

function nothingIfDamaged(error: unknown): null {
  if (error instanceof GitError) return null;
  throw error;
}

/** Above the maximum number of files languages are not computed; everything else is. */
function nothingIfTooLarge(error: unknown): null {
  if (error instanceof GitError && error.permanent) return null;
  throw error;
}

/** Updates some statistics of a project, and the sum and sort columns derived from them. */
export async function writeStatistics(deps: Deps, id: number, changes: Partial<ProjectStatistics>): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    // Without changes there is no commit, which would invalidate caches.
    if ((await changedColumns(db, id, changes)) === null) return;
    // Other statistics may be written concurrently.
    await lockRow(db, 'projects', id);
    const columns = await changedColumns(db, id, changes);
    if (columns !== null) await db.updateTable('projects').set(columns).where('id', '=', id).execute();
  });
}

/** Returns the new columns; null if nothing changes, or the project was deleted. */
async function changedColumns(db: Db, id: number, changes: Partial<ProjectStatistics>) {
  const row = await db.selectFrom('projects').select('statistics').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return null;
  const numbers = { ...statisticsOf(row), ...changes };
  numbers.storage_size = SIZES.reduce((sum, key) => sum + numbers[key], 0);
  const statistics = JSON.stringify(numbers);
  if (JSON.stringify(parseJson(row.statistics)) === statistics) return null;
  return { statistics, repository_size: numbers.repository_size, storage_size: numbers.storage_size };
}

async function writeLanguages(deps: Deps, id: number, languages: readonly LanguageShare[]): Promise<void> {
  const textOf = (shares: readonly LanguageShare[]) =>
    shares
      .map(({ name, bytes }) => `${name}\t${bytes}`)
      .sort()
      .join();
  const known = await deps.db
    .selectFrom('project_languages')
    .select(['name', 'bytes'])
    .where('project_id', '=', id)
    .execute();
  // Without changes there is no commit, as above.
  if (textOf(known) === textOf(languages)) return;
  await deps.db.transaction().execute(async (db) => {
    const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
    await db.deleteFrom('project_languages').where('project_id', '=', id).execute();
    if (languages.length === 0 || row === undefined) return;
    await db
      .insertInto('project_languages')
      .values(languages.map(({ name, bytes }) => ({ project_id: id, name, bytes })))
      .execute();
  });
}

/** Percentage of each language with two decimals, as on the platform. */
export function languagePercentages(shares: readonly LanguageShare[]): Record<string, number> {
  const total = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  return Object.fromEntries(shares.map(({ name, bytes }) => [name, Math.round((bytes / total) * 10_000) / 100]));
}
