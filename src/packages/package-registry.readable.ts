import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import { isProjectOf, lineageIds } from '../access/access.membership.ts';
import type { Caller } from '../access/caller.ts';
import { openVisibilities } from '../access/visible-groups.ts';
import { AccessLevel } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { notDeleted } from '../db/not-deleted.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';

/** A condition on the rows of `packages`, for `where`. */
export type PackageCondition = (eb: ExpressionBuilder<Schema, 'packages'>) => Expression<SqlBool>;
type Projects = ExpressionBuilder<Schema, 'projects'>;
type Condition = Expression<SqlBool>;

/** Scope of group packages: projects of the group and, unless excluded, its subgroups. */
export interface GroupPackageScope {
  group: Pick<Namespace, 'id' | 'lineage'>;
  withSubgroups?: boolean;
}

/**
 * Condition on packages in projects whose packages the caller may read, anywhere or below a group. Equivalent to
 * `read_package` for users, deploy tokens, job tokens and anonymous callers.
 */
export async function readablePackages(
  deps: Pick<Deps, 'clock' | 'db' | 'settings'>,
  caller: Caller,
  scope: GroupPackageScope | null = null,
): Promise<PackageCondition> {
  const readable = await projectsWithPackages(deps, caller, scope);
  const eb = expressionBuilder<Schema, 'packages'>();
  const projects = eb
    .selectFrom('projects')
    .select('projects.id')
    .whereRef('projects.id', '=', 'packages.project_id')
    .where(readable);
  return (outer) => outer.exists(projects);
}

/** The same as a condition on projects. */
export async function projectsWithPackages(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  caller: Caller,
  scope: GroupPackageScope | null,
): Promise<(eb: Projects) => Condition> {
  const day = today(clock);
  const ways: ((eb: Projects) => Condition)[] = [openToAll(caller)];
  if (caller.credential.kind === 'deploy_token') ways.push(ofDeployToken(caller.credential.token));
  if (caller.user !== null) {
    const { id } = caller.user;
    const own = (eb: Projects) => (caller.admin ? eb.lit(true) : isProjectOf(id, AccessLevel.reporter, day));
    ways.push(own);
  }
  let mayRead = (eb: Projects): Condition => eb.or(ways.map((way) => way(eb)));
  if (caller.credential.kind === 'job_token') {
    const isEnforced = settings.now.enforce_ci_inbound_job_token_scope_enabled;
    const admitted = await admitsJobsOf(db, caller.credential.projectId, isEnforced);
    const asUser = mayRead;
    mayRead = (eb) => eb.or([eb.and([admitted(eb), asUser(eb)]), openToAll(null)(eb)]);
  }
  return (eb) =>
    eb.and([
      notDeleted(),
      eb('projects.package_registry_access_level', '!=', 'disabled'),
      ...(scope === null ? [] : [inPlace(eb, scope)]),
      mayRead(eb),
    ]);
}

function inPlace(eb: Projects, { group, withSubgroups = true }: GroupPackageScope): Condition {
  if (!withSubgroups) return eb('projects.namespace_id', '=', group.id);
  return sql<SqlBool>`projects.namespace_id in (
    select n.id from namespaces n where n.lineage >= ${group.lineage} and n.lineage < ${`${group.lineage}~`})`;
}

/**
 * Registries open to everybody, by the visibility of the project or their own. @param caller null for anonymous callers
 */
const openToAll = (caller: Caller | null) => (eb: Projects) =>
  eb.or([
    eb('projects.package_registry_access_level', '=', 'public'),
    eb.and([
      eb('projects.package_registry_access_level', '=', 'enabled'),
      eb('projects.visibility', 'in', caller === null ? ['public'] : openVisibilities(caller)),
    ]),
  ]);

/** Projects of a deploy token: its project, or those below its group. */
const ofDeployToken =
  ({ source_type, source_id }: { source_type: 'project' | 'group'; source_id: number }) =>
  (eb: Projects) =>
    source_type === 'project'
      ? eb('projects.id', '=', source_id)
      : sql<SqlBool>`projects.namespace_id in (
          select d.id from namespaces d join namespaces o on d.lineage >= o.lineage and d.lineage < o.lineage || '~'
          where o.id = ${source_id})`;

/**
 * Projects that admit the job token of another project, see `callerIn`.
 * @param isEnforced whether allowlists cannot be disabled
 */
async function admitsJobsOf(db: Db, jobsOf: number, isEnforced: boolean): Promise<(eb: Projects) => Condition> {
  const scope = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('namespaces.lineage')
    .where('projects.id', '=', jobsOf)
    .executeTakeFirst();
  const groups = lineageIds(scope?.lineage ?? '');
  return (eb) =>
    eb.or([
      eb('projects.id', '=', jobsOf),
      // Settings are stored as JSON written by this server, in which quotation marks within texts are escaped.
      ...(isEnforced ? [] : [eb('projects.settings', 'like', '%"ci_inbound_job_token_scope_enabled":false%')]),
      eb.exists(
        eb
          .selectFrom('ci_job_token_links')
          .select('ci_job_token_links.id')
          .whereRef('ci_job_token_links.source_project_id', '=', 'projects.id')
          .where((link) =>
            link.or([
              link('ci_job_token_links.target_project_id', '=', jobsOf),
              link('ci_job_token_links.target_group_id', 'in', groups),
            ]),
          ),
      ),
    ]);
}
