import { sql } from 'kysely';
import type { Static } from 'typebox';
import { visibleProjects } from '../../../access/access.visible-projects.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiRunnerManager } from '../../../db/tables/ci-runner-managers.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { ALIVE } from '../../../pipelines/states/alive-jobs.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { presentProjects } from '../../spaces/index.ts';
import { machineContact, runnerContact } from './contacts.ts';
import type { Runner, RunnerDetails, RunnerManager } from './runners.responses.ts';
import { stateOf } from './runners.status.ts';

/** Maximum number of projects in the object of a runner. */
const MAX_PROJECTS = 100;

const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
/** Returns those that are running jobs. */
async function busy(db: Db, column: 'runner_id' | 'runner_manager_id', of: readonly number[]): Promise<Set<number>> {
  if (of.length === 0) return new Set();
  const rows = await db
    .selectFrom('ci_jobs')
    .select(column)
    .distinct()
    .where(ALIVE)
    .where('status', 'in', ['running', 'canceling'])
    .where(column, 'in', of)
    .execute();
  return new Set(rows.map((row) => row[column]!));
}

/** Loads the most recently used machine of each runner, by runner id. */
async function lastMachines(db: Db, rows: readonly CiRunner[]): Promise<Map<number, CiRunnerManager>> {
  if (rows.length === 0) return new Map();
  const { rows: managers } = await sql<CiRunnerManager>`
    select m.* from ci_runner_managers m where m.id in (
      select (select l.id from ci_runner_managers l where l.runner_id = r.id order by l.contacted_at desc, l.id desc limit 1)
      from ci_runners r where r.id in (${sql.join(ids(rows))}))`.execute(db);
  return new Map(managers.map((manager) => [manager.runner_id, manager]));
}

interface Facts {
  busy: ReadonlySet<number>;
  machines: ReadonlyMap<number, CiRunnerManager>;
  creators: Awaited<ReturnType<typeof usersById>>;
}

async function factsOf({ db }: Deps, rows: readonly CiRunner[]): Promise<Facts> {
  return {
    busy: await busy(db, 'runner_id', ids(rows)),
    machines: await lastMachines(db, rows),
    creators: await usersById(
      db,
      rows.flatMap(({ creator_id }) => creator_id ?? []),
    ),
  };
}

function present(deps: Deps, row: CiRunner, { busy, machines, creators }: Facts): Static<typeof Runner> {
  const contactedAt = runnerContact(deps.db, row);
  const status = stateOf(deps.clock, row, { createdAt: row.created_at, contactedAt });
  const creator = row.creator_id === null ? undefined : creators.get(row.creator_id);
  return {
    id: row.id,
    description: row.description,
    ip_address: machines.get(row.id)?.ip_address ?? null,
    active: row.paused === 0,
    paused: row.paused === 1,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type,
    name: null,
    online: contactedAt === null ? null : status === 'online',
    created_by: creator === undefined ? null : userBasic(deps, creator),
    created_at: row.created_at,
    status,
    job_execution_status: busy.has(row.id) ? 'active' : 'idle',
  };
}

/** Renders runners for lists with a fixed number of queries. */
export async function presentRunners(deps: Deps, rows: readonly CiRunner[]): Promise<Static<typeof Runner>[]> {
  const facts = await factsOf(deps, rows);
  return rows.map((row) => present(deps, row, facts));
}

/** Query for the projects of a runner that the caller may see. */
export const projectsOfRunner = (deps: Deps, caller: UserCaller, runnerId: number) =>
  deps.db
    .selectFrom('projects')
    .selectAll('projects')
    .where('pending_delete', '=', 0)
    .where('projects.id', 'in', (eb) =>
      eb.selectFrom('ci_runner_projects').select('project_id').where('runner_id', '=', runnerId),
    )
    .where(visibleProjects(deps, caller))
    .orderBy('projects.id');

/** Renders a single runner with all details. @param projects whether to include its projects */
export async function presentRunner(
  deps: Deps,
  caller: UserCaller,
  row: CiRunner,
  projects = true,
): Promise<Static<typeof RunnerDetails>> {
  const facts = await factsOf(deps, [row]);
  const machine = facts.machines.get(row.id);
  const shown: Project[] = projects ? await projectsOfRunner(deps, caller, row.id).limit(MAX_PROJECTS).execute() : [];
  return {
    ...present(deps, row, facts),
    tag_list: parseJson<string[]>(row.tag_list),
    run_untagged: row.run_untagged === 1,
    locked: row.locked === 1,
    maximum_timeout: row.maximum_timeout,
    access_level: row.access_level,
    version: machine?.version ?? null,
    revision: machine?.revision ?? null,
    platform: machine?.platform ?? null,
    architecture: machine?.architecture ?? null,
    contacted_at: runnerContact(deps.db, row),
    maintenance_note: row.maintenance_note,
    token_expires_at: row.token_expires_at,
    ...(projects ? { projects: await presentProjects(deps, caller, shown, { simple: true }) } : {}),
    groups: await groupsOf(deps, row),
  };
}

async function groupsOf({ db, externalUrl }: Deps, { group_id }: CiRunner) {
  if (group_id === null) return [];
  const rows = await db
    .selectFrom('namespaces')
    .select(['id', 'name', 'full_path'])
    .where('id', '=', group_id)
    .execute();
  return rows.map(({ id, name, full_path }) => ({ id, web_url: `${externalUrl()}/groups/${full_path}`, name }));
}

/** Renders machines of runners. */
export async function presentManagers(
  deps: Deps,
  runners: readonly CiRunner[],
  rows: readonly CiRunnerManager[],
): Promise<Static<typeof RunnerManager>[]> {
  const of = new Map(runners.map((runner) => [runner.id, runner]));
  const active = await busy(deps.db, 'runner_manager_id', ids(rows));
  return rows.flatMap((row) => {
    const runner = of.get(row.runner_id);
    if (runner === undefined) return [];
    const contactedAt = machineContact(deps.db, row);
    return [
      {
        id: row.id,
        system_id: row.system_id,
        version: row.version,
        revision: row.revision,
        platform: row.platform,
        architecture: row.architecture,
        created_at: row.created_at,
        contacted_at: contactedAt,
        ip_address: row.ip_address,
        status: stateOf(deps.clock, runner, { createdAt: row.created_at, contactedAt }),
        job_execution_status: active.has(row.id) ? ('active' as const) : ('idle' as const),
      },
    ];
  });
}
