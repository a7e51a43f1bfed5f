import { type Expression, sql } from 'kysely';
import { FINISHED, type State } from '../../../ci/states.ts';
import type { Db } from '../../../db/db.schema.ts';
import { equalsIgnoringCase } from '../../../db/like.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { HEADS, TAGS } from '../../../git/refs/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { PipelineFilters } from './pipelines.inputs.ts';

/** Maximum number of refs of a project whose last pipelines are listed. */
const MAX_REFS = 10_000;

const STATES_OF: Readonly<Record<'running' | 'pending' | 'finished', readonly State[]>> = {
  running: ['running'],
  pending: ['pending'],
  finished: FINISHED,
};

/** Query for the pipelines of a project; an empty list if there cannot be any. */
export async function pipelineList(deps: Deps, project: Project, filters: PipelineFilters & { schedule_id?: number }) {
  const { db } = deps;
  const { scope, status, ref, sha, yaml_errors, username, source, name, order_by = 'id', sort = 'desc' } = filters;
  let query = db.selectFrom('pipelines').selectAll().where('project_id', '=', project.id);
  if (scope === 'branches' || scope === 'tags') {
    const ids = await lastOfRefs(deps, project, scope);
    if (ids.length === 0) return [];
    query = query.where('id', 'in', ids);
  } else if (scope !== undefined) {
    query = query.where('status', 'in', STATES_OF[scope]);
  }
  if (filters.schedule_id !== undefined) query = query.where('schedule_id', '=', filters.schedule_id);
  if (status !== undefined) query = query.where('status', '=', status);
  if (ref) query = query.where('ref', '=', ref);
  if (sha) query = query.where('sha', '=', sha);
  if (yaml_errors !== undefined) query = query.where('yaml_errors', yaml_errors ? 'is not' : 'is', null);
  if (username) query = query.where('user_id', '=', idOfUser(db, username));
  query = source === undefined ? query.where('source', '!=', 'parent_pipeline') : query.where('source', '=', source);
  if (name) query = query.where('name', '=', name);
  const { updated_after, updated_before, created_after, created_before } = filters;
  if (updated_after) query = query.where('updated_at', '>=', updated_after);
  if (updated_before) query = query.where('updated_at', '<=', updated_before);
  if (created_after) query = query.where('created_at', '>=', created_after);
  if (created_before) query = query.where('created_at', '<=', created_before);
  if (order_by !== 'id') query = query.orderBy(order_by, sort);
  return query.orderBy('id', sort);
}

const idOfUser = (db: Db, username: string): Expression<number> =>
  sql<number>`(${db
    .selectFrom('users')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('username'), username))})`;

/** Returns the ids of the last pipeline of each existing branch or tag. */
async function lastOfRefs(deps: Deps, project: Project, scope: 'branches' | 'tags'): Promise<number[]> {
  const folder = scope === 'branches' ? HEADS : TAGS;
  const refs = await repositoryOf(deps, project).refs.list(folder);
  const existing = new Set(refs.map(({ name }) => name.slice(folder.length)));
  const names = (await refsWithPipelines(deps.db, project.id)).filter((name) => existing.has(name));
  if (names.length === 0) return [];
  const { rows } = await sql<{ id: number | null }>`
    with wanted (ref) as (values ${sql.join(names.map((name) => sql`(${name})`))})
    select (
      select id from pipelines
      where project_id = ${project.id} and ref = wanted.ref and tag = ${scope === 'tags' ? 1 : 0}
        and source <> 'parent_pipeline'
      order by id desc limit 1
    ) as id
    from wanted`.execute(deps.db);
  return rows.flatMap(({ id }) => id ?? []);
}

/**
 * Returns the refs with pipelines of a project, skipping from one ref to the next in the index, however many pipelines
 * each has.
 */
async function refsWithPipelines(db: Db, projectId: number): Promise<string[]> {
  const { rows } = await sql<{ ref: string }>`
    with recursive names (ref) as (
      select min(ref) from pipelines where project_id = ${projectId}
      union all
      select (select min(ref) from pipelines where project_id = ${projectId} and ref > names.ref)
      from names where names.ref is not null
    )
    select ref from names where ref is not null limit ${MAX_REFS}`.execute(db);
  return rows.map(({ ref }) => ref);
}
