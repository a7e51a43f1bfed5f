import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Static } from 'typebox';
import { groupsOf, lineageIds, projectsOf } from '../../../access/access.membership.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Schema } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { settingsOf } from '../../spaces/index.ts';
import type { runnerFilters } from './runners.inputs.ts';
import { inState, RUNNER_STATES } from './runners.status.ts';

type Runners = SelectQueryBuilder<Schema, 'ci_runners', CiRunner>;
type Filters = Static<typeof runnerFilters>;

/** Query for all runners, newest first. The explicit condition makes both engines walk the primary key. */
export const allRunners = ({ db }: Deps): Runners =>
  db.selectFrom('ci_runners').selectAll().where('id', '>', 0).orderBy('id', 'desc');

/**
 * Query for the runners that a user administers: as Maintainer of projects, as Owner of groups, or with a custom role
 * that can read them.
 */
export function ownRunners(deps: Deps, userId: number): Runners {
  const day = today(deps.clock);
  return allRunners(deps).where((eb) =>
    eb.or([
      eb(
        'id',
        'in',
        eb
          .selectFrom('ci_runner_projects')
          .select('runner_id')
          .where(
            'project_id',
            'in',
            projectsOf(userId, { level: AccessLevel.maintainer, permissions: ['read_runners'] }, day),
          ),
      ),
      eb('group_id', 'in', groupsOf(userId, { level: AccessLevel.owner, permissions: ['read_runners'] }, day)),
    ]),
  );
}

/** Query for the runners available to a project. */
export function runnersOfProject(deps: Deps, project: Project, namespace: Namespace): Runners {
  const { group_runners_enabled, shared_runners_enabled } = settingsOf(project);
  const groups = namespace.kind === 'group' && group_runners_enabled ? lineageIds(namespace.lineage) : [];
  let ids = deps.db.selectFrom('ci_runner_projects').select('runner_id as id').where('project_id', '=', project.id);
  if (groups.length > 0)
    ids = ids.unionAll(deps.db.selectFrom('ci_runners').select('id').where('group_id', 'in', groups));
  if (shared_runners_enabled) ids = ids.unionAll(ofServer(deps));
  return allRunners(deps).where('id', 'in', ids);
}

const ofServer = ({ db }: Deps) => db.selectFrom('ci_runners').select('id').where('runner_type', '=', 'instance_type');

/** Query for the runners of a group, its ancestors and the instance. */
export function runnersOfGroup(deps: Deps, group: Namespace): Runners {
  const ofGroups = deps.db.selectFrom('ci_runners').select('id').where('group_id', 'in', lineageIds(group.lineage));
  return allRunners(deps).where('id', 'in', ofGroups.unionAll(ofServer(deps)));
}

const has = (tag: string) => {
  const quoted = JSON.stringify(tag);
  // Case-sensitive in both engines.
  return sql<SqlBool>`replace(tag_list, ${quoted}, '') <> tag_list`;
};

/** Applies filters to a query. @throws ApiError 400 for an unknown scope */
export function filtered(query: Runners, deps: Deps, filters: Filters): Runners {
  const { scope, type, paused, status, tag_list: tags = [], version_prefix: version } = filters;
  let runners = query;
  if (type !== undefined) runners = runners.where('runner_type', '=', type);
  if (paused !== undefined) runners = runners.where('paused', '=', paused ? 1 : 0);
  if (status !== undefined) runners = ofStatus(runners, deps, status);
  if (scope !== undefined && scope !== '') runners = ofScope(runners, deps, scope);
  for (const tag of tags) runners = runners.where(has(tag));
  if (version !== undefined && version !== '') {
    runners = runners.where('id', 'in', (eb) =>
      eb
        .selectFrom('ci_runner_managers')
        .select('runner_id')
        .where((inner) => startsWith(inner, inner.ref('version').$castTo<string>(), version)),
    );
  }
  return runners;
}

function ofStatus(query: Runners, { clock }: Deps, status: NonNullable<Filters['status']>): Runners {
  if (status === 'active') return query.where('paused', '=', 0);
  return status === 'paused' ? query.where('paused', '=', 1) : inState(query, clock, status);
}

function ofScope(query: Runners, deps: Deps, scope: string): Runners {
  if (scope === 'shared') return query.where('runner_type', '=', 'instance_type');
  if (scope === 'specific') return query.where('runner_type', '!=', 'instance_type');
  const status = (['active', 'paused', ...RUNNER_STATES] as const).find((each) => each === scope);
  if (status === undefined) throw refused('Scope contains invalid value');
  return ofStatus(query, deps, status);
}
