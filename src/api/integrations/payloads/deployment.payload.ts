import { timestamp } from '../../../core/clock.ts';
import type { Deployment } from '../../../db/tables/deployments.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitAt, commitPayload, webUrlOf } from './commits.payload.ts';
import { fullProjectPayload, projectOf } from './projects.payload.ts';
import { HEADERS, type HookEvent } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

/** Hook payloads for a deployment that started, succeeded, failed or was canceled. */
export async function deploymentHookEvents(
  deps: Deps,
  { payload, created_at }: RecordedEvent<'deployment.updated'>,
): Promise<HookEvent[]> {
  const row = await deps.db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', payload.deployment_id)
    .executeTakeFirst();
  const hookEvent = row && (await buildHookEvent(deps, row, payload.status, created_at));
  return hookEvent === undefined ? [] : [hookEvent];
}

async function buildHookEvent(deps: Deps, row: Deployment, status: string, at: string): Promise<HookEvent | undefined> {
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
    trigger: 'deployment',
    header: HEADERS.deployment,
    projectId: project.row.id,
    groupId: null,
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
export async function sampleDeployment(deps: Deps, projectId: number): Promise<HookEvent | undefined> {
  const row = await deps.db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (await buildHookEvent(deps, row, row.status, timestamp(deps.clock)));
}
