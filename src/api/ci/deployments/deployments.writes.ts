import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, invalidModel, recordNotFound, refused } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Deployment } from '../../../db/tables/deployments.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { isOid } from '../../../git/common/index.ts';
import { lastDeployment } from '../../../pipelines/environments/stop-environment.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { createEnvironment } from '../environments/environments.create.ts';

type Status = 'running' | 'success' | 'failed' | 'canceled';

export interface NewDeployment {
  environment: string;
  sha: string;
  ref: string;
  tag: boolean;
  status: Status;
}

const isOver = (status: Status): boolean => status !== 'running';
const EVENTS = { running: 'run', success: 'succeed', failed: 'drop', canceled: 'cancel' } as const;

/** @throws ApiError 400 if the commit, branch or tag does not exist */
async function checkCommit(deps: Deps, project: Project, { sha, ref, tag }: NewDeployment): Promise<void> {
  const repo = repositoryOf(deps, project);
  const commit = isOid(sha) ? await repo.objects.commit(sha) : null;
  if (commit === null) throw invalidModel({ sha: ['The commit does not exist'] });
  const oid = await repo.refs.resolve(`refs/${tag ? 'tags' : 'heads'}/${ref}`);
  if (oid === null) throw invalidModel({ ref: ['The branch or tag does not exist'] });
}

/** Returns the id of an environment by name, creating it if necessary. @throws ApiError 400 */
async function environmentId(deps: Deps, projectId: number, name: string): Promise<number> {
  const row = await deps.db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id ?? (await createEnvironment(deps, projectId, { name })).id;
}

/** Creates a deployment of an external tool, unless one with the same commit and status exists. @throws ApiError 400 */
export async function createDeployment(
  deps: Deps,
  project: Project,
  { user }: UserCaller,
  input: NewDeployment,
): Promise<Deployment> {
  await checkCommit(deps, project, input);
  const environment_id = await environmentId(deps, project.id, input.environment);
  const { sha, ref, status } = input;
  const tag = bit(input.tag);
  const now = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    const last = await lastDeployment(db, environment_id);
    const same = last?.sha === sha && last.ref === ref && last.tag === tag && last.status === status;
    if (last !== undefined && same) return last;
    const iid = await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'deployments' });
    const row = await db
      .insertInto('deployments')
      .values({
        ...{ iid, project_id: project.id, environment_id, ref, tag, sha, status, user_id: user.id },
        created_at: now,
        updated_at: now,
        finished_at: isOver(status) ? now : null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await settled(deps, db, row, user.id);
    return row;
  });
}

/** Updates the status of a deployment of an external tool. @throws ApiError 400, 403, 404 */
export async function updateDeployment(
  deps: Deps,
  { id }: Deployment,
  { user }: UserCaller,
  status: Status,
): Promise<Deployment> {
  const now = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    const row = await db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw recordNotFound();
    if (row.job_id !== null) throw forbidden('Deployments created using GitLab CI can not be updated using the API');
    const begins = row.status === 'created' || row.status === 'blocked';
    if (row.status === status || (status === 'running' && !begins)) {
      throw invalidModel({ status: [`cannot transition via "${EVENTS[status]}"`] });
    }
    const changed = await db
      .updateTable('deployments')
      .set({ status, updated_at: now, ...(isOver(status) ? { finished_at: now } : {}) })
      .where('id', '=', id)
      .where('status', '=', row.status)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    await settled(deps, db, changed, user.id);
    return changed;
  });
}

/** Records the event of a status change; a successful deployment makes its environment available. */
async function settled(deps: Deps, db: Db, row: Deployment, actorId: number): Promise<void> {
  if (row.status === 'success') {
    const values = { state: 'available', updated_at: row.updated_at } as const;
    await db.updateTable('environments').set(values).where('id', '=', row.environment_id).execute();
  }
  const payload = { deployment_id: row.id, project_id: row.project_id, status: row.status };
  await deps.events.record(db, 'deployment.updated', payload, { projectId: row.project_id, actorId });
}

/** Deletes a finished deployment that is not the current one of its environment. @throws ApiError 400 */
export async function removeDeployment({ db }: Deps, { id }: Deployment): Promise<void> {
  await db.transaction().execute(async (db) => {
    const row = await db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw recordNotFound();
    if (row.status === 'running') throw refused('Cannot destroy running deployment');
    if ((await lastDeployment(db, row.environment_id))?.id === id) {
      throw refused('Deployment currently deployed to environment');
    }
    await db.deleteFrom('deployments').where('id', '=', id).execute();
  });
}
