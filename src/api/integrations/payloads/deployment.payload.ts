import { timestamp } from '../../../core/clock.ts';
import type { Deployment } from '../../../db/tables/deployments.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitAt, commitPayload, webUrlOf } from './commits.payload.ts';
import { fullProjectPayload, projectOf } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

/** States of deployments with payloads: started, blocked, and finished ones. */
const DEPLOYED: readonly string[] = ['running', 'success', 'failed', 'canceled', 'blocked'];

/** Whether a deployment has a state with a payload. */
export const isDeployed = ({ payload }: RecordedEvent<'deployment.updated'>): boolean =>
  DEPLOYED.includes(payload.status);

/** Hook payload for a deployment that started, succeeded, failed or was canceled. */
export async function deploymentHookEvent(
  deps: Deps,
  { payload, created_at }: RecordedEvent<'deployment.updated'>,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', payload.deployment_id)
    .executeTakeFirst();
  return row && (await build(deps, row, payload.status, created_at));
}

async function build(deps: Deps, row: Deployment, status: string, at: string): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, row.project_id);
  const environment = await deps.db
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', row.environment_id)
    .executeTakeFirst();
  if (project === undefined || environment === undefined) return undefined;
  const web = webUrlOf(deps, project.row.full_path);
  const user = await userOf(deps.db, row.user_id);
  const commit = await commitAt(repositoryOf(deps, project.row), row.sha);
  return {
    projectId: project.row.id,
    payload: {
      object_kind: 'deployment',
      status,
      status_changed_at: `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`,
      deployment_id: row.id,
      deployable_id: row.job_id,
      deployable_url: row.job_id === null ? null : `${web}/-/jobs/${row.job_id}`,
      environment: environment.name,
      environment_tier: environment.tier,
      environment_slug: environment.slug,
      environment_external_url: environment.external_url,
      project: fullProjectPayload(deps, project),
      ref: row.ref,
      short_sha: row.sha.slice(0, 8),
      user: userPayloadOrNull(deps, user),
      user_url: user === undefined ? null : `${deps.externalUrl()}/${user.username}`,
      commit_url: `${web}/-/commit/${row.sha}`,
      commit_title: commit === null ? null : commitPayload(commit, web).title,
    },
  };
}

/** Returns the payload of the last deployment, for tests of hooks; undefined if there is none. */
export async function sampleDeployment(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (await build(deps, row, row.status, timestamp(deps.clock)));
}
