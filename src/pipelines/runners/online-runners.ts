import { lineageIds } from '../../access/access.membership.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../db/tables/ci-runners.table.ts';

/** Time since its last contact within which a runner counts as online. */
const ONLINE_MS = 2 * 3_600_000;

type Waiting = Pick<CiJob, 'id' | 'project_id' | 'tag_list' | 'protected'>;
type Online = Pick<CiRunner, 'id' | 'runner_type' | 'group_id' | 'run_untagged' | 'access_level' | 'tag_list'>;

/** Ids of the jobs that no online runner may run. */
export async function jobsWithoutRunner(db: Db, now: Date, jobs: readonly Waiting[]): Promise<Set<number>> {
  if (jobs.length === 0) return new Set();
  const runners = await onlineRunners(db, now);
  const projects = await projectsOf(db, [...new Set(jobs.map(({ project_id }) => project_id))]);
  const tags = new Map(runners.map(({ id, tag_list }) => [id, new Set(parseJson<string[]>(tag_list))]));
  const alone = jobs.filter((job) => {
    const project = projects.get(job.project_id);
    return !runners.some((runner) => project?.(runner) && takes(runner, tags.get(runner.id)!, job));
  });
  return new Set(alone.map(({ id }) => id));
}

const onlineRunners = (db: Db, now: Date): Promise<Online[]> =>
  db
    .selectFrom('ci_runners')
    .select(['id', 'runner_type', 'group_id', 'run_untagged', 'access_level', 'tag_list'])
    .where('paused', '=', 0)
    .where('contacted_at', '>', new Date(now.getTime() - ONLINE_MS).toISOString())
    .execute();

/** For each project, a predicate for the runners that serve it. */
async function projectsOf(db: Db, ids: readonly number[]): Promise<Map<number, (runner: Online) => boolean>> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.settings', 'namespaces.lineage', 'namespaces.kind'])
    .where('projects.id', 'in', ids)
    .execute();
  const own = await db.selectFrom('ci_runner_projects').selectAll().where('project_id', 'in', ids).execute();
  const pairs = new Set(own.map(({ project_id, runner_id }) => `${project_id} ${runner_id}`));
  return new Map(
    rows.map(({ id, settings, lineage, kind }) => {
      const groups = kind === 'group' ? lineageIds(lineage) : [];
      const projectSettings = parseJson<{ shared_runners_enabled?: boolean; group_runners_enabled?: boolean }>(
        settings,
      );
      return [
        id,
        (runner: Online) => {
          if (runner.runner_type === 'project_type') return pairs.has(`${id} ${runner.id}`);
          if (runner.runner_type === 'instance_type') return projectSettings.shared_runners_enabled !== false;
          return projectSettings.group_runners_enabled !== false && groups.includes(runner.group_id ?? 0);
        },
      ];
    }),
  );
}

function takes(runner: Online, tags: ReadonlySet<string>, job: Waiting): boolean {
  if (runner.access_level === 'ref_protected' && job.protected === 0) return false;
  const requiredTags = parseJson<string[]>(job.tag_list);
  return requiredTags.length === 0 ? runner.run_untagged === 1 : requiredTags.every((tag) => tags.has(tag));
}
