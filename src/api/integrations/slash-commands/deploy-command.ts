import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../../deps.ts';
import { SLACK } from '../../../integrations/chat/style.ts';
import { isPlayable, playJob } from '../../../pipelines/states/play.ts';
import { mayRun } from '../../ci/index.ts';
import { type CommandScope, forbiddenResponse } from './issue-commands.ts';
import { type CommandResponse, channelResponse, ephemeralResponse } from './slash-commands.responses.ts';

/** Maximum number of manual jobs considered in a pipeline. */
const MAX_JOBS = 1_000;

/** Returns the manual jobs that deploy to an environment, in the pipeline deployed to another one. */
async function actionsOf({ db }: Deps, projectId: number, from: string, to: string): Promise<CiJob[]> {
  const last = await db
    .selectFrom('deployments')
    .innerJoin('environments', 'environments.id', 'deployments.environment_id')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'deployments.job_id')
    .select('ci_jobs.pipeline_id')
    .where('environments.project_id', '=', projectId)
    .where('environments.name', '=', from)
    .where('deployments.status', '=', 'success')
    .orderBy('deployments.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return [];
  const jobs = await db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', last.pipeline_id)
    .where('environment', '=', to)
    .where('retried', '=', 0)
    .where('run_when', '=', 'manual')
    .orderBy('id')
    .limit(MAX_JOBS)
    .execute();
  return jobs.filter(isPlayable);
}

/** Starts the job that deploys from one environment to another. */
export async function deploy(
  deps: Deps,
  scope: CommandScope,
  { from, to }: { from: string; to: string },
): Promise<CommandResponse> {
  const { permissions, project, caller } = scope;
  if (!permissions.can('create_deployment') || !permissions.can('update_pipeline')) return forbiddenResponse();
  const actions = await actionsOf(deps, project.id, from, to);
  const [action, ...others] = actions;
  if (action === undefined)
    return ephemeralResponse(`No action found to be executed: from ${SLACK.plain(from)} to ${SLACK.plain(to)}`);
  if (others.length > 0) {
    const names = actions.map(({ name }) => SLACK.plain(name)).join(', ');
    return ephemeralResponse(`Too many actions defined to deploy to ${SLACK.plain(to)}: ${names}`);
  }
  if (!(await mayRun(deps, scope, action))) return forbiddenResponse();
  const played = await playJob(deps, action.id, { userId: caller.user.id });
  if (played === null) return ephemeralResponse('The job can no longer be started.');
  const url = `${deps.externalUrl()}/${project.full_path}/-/jobs/${played.id}`;
  return channelResponse(
    `Deployment started from ${SLACK.plain(from)} to ${SLACK.plain(to)}. ${SLACK.link('Follow its progress', url)}.`,
  );
}
