import { AFTER_LINEAGE } from '../../../../access/access.membership.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { Deps } from '../../../../deps.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';

/** Job kind: checks one auto-merge. */
export const AUTO_MERGE = jobKind<{ merge_request_id: number }>('merging.auto_merge', { lane: 'git' });

const waiting = (db: Db) =>
  db
    .selectFrom('merge_requests')
    .select(['merge_requests.id', 'merge_requests.project_id'])
    .where('merge_requests.state', '=', 'opened')
    .where('merge_requests.auto_merge', '=', 1);

type Waiting = ReturnType<typeof waiting>;

/** Whether the project has a merge request with auto-merge. */
export const hasAutoMerges = async (db: Db, projectId: number): Promise<boolean> =>
  (await waiting(db).where('merge_requests.project_id', '=', projectId).limit(1).executeTakeFirst()) !== undefined;

async function enqueue(deps: Pick<Deps, 'jobs'>, db: Db, query: Waiting): Promise<void> {
  const jobs = (await query.execute()).map(({ id, project_id: projectId }) => ({
    kind: AUTO_MERGE,
    payload: { merge_request_id: id },
    uniqueKey: `${id}:at-once`,
    projectId,
  }));
  await deps.jobs.enqueueAll(db, jobs);
}

/**
 * Enqueues a check of the auto-merges of a project after its required approvals changed.
 * @param db handle of a transaction
 */
export const recheckAutoMerges = (deps: Pick<Deps, 'jobs'>, db: Db, projectId: number): Promise<void> =>
  enqueue(deps, db, waiting(db).where('merge_requests.project_id', '=', projectId));

/** As `recheckAutoMerges`, after a change of members of a project, or of a group for all projects below it. */
export async function recheckAutoMergesOf(deps: Deps, type: 'project' | 'group', id: number): Promise<void> {
  const { db } = deps;
  if (type === 'project') return recheckAutoMerges(deps, db, id);
  const group = await db.selectFrom('namespaces').select('lineage').where('id', '=', id).executeTakeFirst();
  if (group === undefined) return;
  const below = db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where('namespaces.lineage', '>=', group.lineage)
    .where('namespaces.lineage', '<', group.lineage + AFTER_LINEAGE);
  const named = db
    .selectFrom('approval_rule_groups')
    .innerJoin('approval_rules', 'approval_rules.id', 'approval_rule_groups.rule_id')
    .select('approval_rules.project_id')
    .where('approval_rule_groups.group_id', '=', id);
  await enqueue(
    deps,
    db,
    waiting(db).where((eb) => eb.or([eb('project_id', 'in', below), eb('project_id', 'in', named)])),
  );
}

/**
 * As `recheckAutoMerges`, for merge requests with rules that name a user, directly or by a group, who can no longer
 * approve.
 */
export async function recheckAutoMergesFor(deps: Pick<Deps, 'jobs'>, db: Db, userId: number): Promise<void> {
  const byName = db
    .selectFrom('approval_rule_users')
    .innerJoin('approval_rules', 'approval_rules.id', 'approval_rule_users.rule_id')
    .select('approval_rules.project_id')
    .where('approval_rule_users.user_id', '=', userId);
  const byGroup = db
    .selectFrom('members')
    .innerJoin('approval_rule_groups', 'approval_rule_groups.group_id', 'members.source_id')
    .innerJoin('approval_rules', 'approval_rules.id', 'approval_rule_groups.rule_id')
    .select('approval_rules.project_id')
    .where('members.source_type', '=', 'group')
    .where('members.user_id', '=', userId);
  const ofProject = db
    .selectFrom('members')
    .select('members.source_id')
    .where('members.source_type', '=', 'project')
    .where('members.user_id', '=', userId);
  await enqueue(
    deps,
    db,
    waiting(db).where((eb) =>
      eb.or([byName, byGroup, ofProject].map((ids) => eb('merge_requests.project_id', 'in', ids))),
    ),
  );
}
