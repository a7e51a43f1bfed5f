import { type RawBuilder, sql } from 'kysely';
import { AFTER_LINEAGE, lineageIds } from '../../../access/access.membership.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import { ALIVE } from '../../../pipelines/states/alive-jobs.ts';

/** Combinations of tags that a request considers at most. */
const MAX_KEYS = 1_000;
const MAX_STEPS = 100_000;
/** Projects with jobs for a runner that a request considers at most. */
const MAX_PROJECTS = 1_000;
/** Jobs that a request tries at most. */
export const MAX_CANDIDATES = 45;

/** The oldest waiting job of a project that a runner may take. */
export interface Candidate {
  job_id: number;
  project_id: number;
}

/**
 * Returns the distinct tag combinations of waiting jobs that match a runner: one index step each, however many jobs
 * wait. Combinations that do not match are not counted, so that jobs with tags of no runner cannot hide others.
 */
async function waitingKeys(db: Db, { run_untagged }: CiRunner, tags: readonly string[]): Promise<string[]> {
  // Each tag is enclosed in commas: after removing the tags of the runner nothing may be left.
  const rest = tags.reduce<RawBuilder<string>>(
    (text, tag) => sql`replace(${text}, ${`,${tag},`}, '')`,
    sql`',' || replace(key, ',', ',,') || ','`,
  );
  const untagged = run_untagged === 1 ? sql`key = ''` : sql`1 = 0`;
  const { rows } = await sql<{ key: string }>`
    with recursive waiting (key, step) as (
      select min(tag_key), 1 from ci_pending_jobs
      union all
      select (select min(tag_key) from ci_pending_jobs where tag_key > waiting.key), step + 1
      from waiting where waiting.key is not null and step < ${sql.lit(MAX_STEPS)}
    )
    select key from waiting where ${untagged} or (key <> '' and ${rest} = '') limit ${MAX_KEYS}`.execute(db);
  return rows.map(({ key }) => key);
}

/** Only settings that differ from their default are stored with a project. */
const switchedOff = (name: string) => `%"${name}":false%`;

/** Query for the ids of the projects of a runner. */
function projectsOf({ id, runner_type, group_id }: CiRunner): RawBuilder<unknown> {
  if (runner_type === 'project_type') {
    return sql`select project_id from ci_runner_projects where runner_id = ${id}`;
  }
  if (runner_type === 'group_type') {
    return sql`select p.id from namespaces g
      join namespaces n on n.lineage >= g.lineage and n.lineage < g.lineage || ${AFTER_LINEAGE}
      join projects p on p.namespace_id = n.id
      where g.id = ${group_id} and p.settings not like ${switchedOff('group_runners_enabled')}`;
  }
  return sql`select p.id from projects p
    where p.id = oldest.project_id and p.settings not like ${switchedOff('shared_runners_enabled')}`;
}

/**
 * Returns waiting jobs that a runner may take, one per project, in the order to try: oldest first, but for instance
 * runners projects with fewer running jobs first.
 * @param without ids of jobs to leave out
 */
export async function candidatesFor(db: Db, runner: CiRunner, without: readonly number[]): Promise<Candidate[]> {
  const keys = await waitingKeys(db, runner, parseJson<string[]>(runner.tag_list));
  if (keys.length === 0) return [];
  const onlyProtected = runner.access_level === 'ref_protected' ? sql`and protected = 1` : sql``;
  const others = without.length === 0 ? sql`` : sql`and job_id not in (${sql.join(without)})`;
  const { rows } = await sql<Candidate>`
    select oldest.project_id, oldest.job_id from (
      select project_id, min(job_id) as job_id from ci_pending_jobs
      where tag_key in (${sql.join(keys)}) ${onlyProtected} ${others}
      group by project_id
    ) oldest
    where oldest.project_id in (${projectsOf(runner)})
    order by oldest.job_id limit ${MAX_PROJECTS}`.execute(db);
  const candidates = rows.map((row) => ({ job_id: Number(row.job_id), project_id: Number(row.project_id) }));
  return (runner.runner_type === 'instance_type' ? await fairly(db, candidates) : candidates).slice(0, MAX_CANDIDATES);
}

/** Whether a runner still serves a project, checked again after a wait. */
export async function canRunFor(db: Db, runner: CiRunner, candidate: Candidate): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (select ${sql.lit(candidate.project_id)} as project_id) oldest
    where oldest.project_id in (${projectsOf(runner)})`.execute(db);
  if (rows.length === 0 || runner.runner_type !== 'instance_type') return rows.length > 0;
  return (await withoutClosed(db, [candidate])).length > 0;
}

async function fairly(db: Db, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const open = candidates.length === 0 ? [] : await withoutClosed(db, candidates);
  if (open.length < 2) return open;
  const running = await runningOnServersRunners(db);
  const load = ({ project_id }: Candidate) => running.get(project_id) ?? 0;
  // The sort is stable: among equals the oldest job stays first.
  return open.sort((a, b) => load(a) - load(b));
}

/** Counts the running jobs of each project on instance runners, by project id. */
export async function runningOnServersRunners(db: Db): Promise<Map<number, number>> {
  const { rows } = await sql<{ project_id: number; count: number }>`
    select ci_jobs.project_id, count(*) as count from ci_jobs
    join ci_runners on ci_runners.id = ci_jobs.runner_id and ci_runners.runner_type = 'instance_type'
    where ${ALIVE} and ci_jobs.status in ('running', 'canceling')
    group by ci_jobs.project_id`.execute(db);
  return new Map(rows.map(({ project_id, count }) => [Number(project_id), Number(count)]));
}

/** Leaves out projects in groups that disable instance runners. */
async function withoutClosed(db: Db, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const ids = candidates.map(({ project_id }) => project_id);
  const places = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'namespaces.lineage'])
    .where('projects.id', 'in', ids)
    .execute();
  const groups = [...new Set(places.flatMap(({ lineage }) => lineageIds(lineage)))];
  const closed = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', groups.length === 0 ? [0] : groups)
    .where('settings', 'like', '%"shared_runners_setting":"disabled_and_unoverridable"%')
    .execute();
  if (closed.length === 0) return [...candidates];
  const shut = new Set(closed.map(({ id }) => id));
  const open = new Set(
    places.filter(({ lineage }) => !lineageIds(lineage).some((id) => shut.has(id))).map(({ id }) => id),
  );
  return candidates.filter(({ project_id }) => open.has(project_id));
}
