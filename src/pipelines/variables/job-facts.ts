import { userOfId } from '../../access/find-by-id.ts';
import { groupName, slug } from '../../ci/slugs.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../db/tables/ci-runners.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { releasesOfTags } from '../../repositories/tag-releases.ts';
import { httpCloneAddress } from '../../settings/clone-address.ts';
import { instant, publicVariable, publicVariables, secretVariable } from './values.ts';

/** User name for authentication with a job token. */
const JOB_USER = 'gitlab-ci-token';
const TRIGGER_TOKEN_PREFIX = 'glptt-';

/**
 * Predefined variables of a created job. `CI_NODE_INDEX` and other variables of parallel jobs are part of their
 * configuration.
 */
export async function predefinedJobVariables(db: Db, job: CiJob, pipeline: Pipeline): Promise<Variable[]> {
  return [
    ...publicVariables({
      CI_JOB_NAME: job.name,
      CI_JOB_NAME_SLUG: slug(job.name),
      CI_JOB_GROUP_NAME: groupName(job.name),
      CI_JOB_STAGE: job.stage,
      CI_JOB_MANUAL: job.run_when === 'manual' || job.run_when === 'delayed' ? 'true' : null,
      CI_NODE_TOTAL: 1,
    }),
    ...(await triggerVariables(db, pipeline.trigger_id)),
  ];
}

async function triggerVariables(db: Db, triggerId: number | null): Promise<Variable[]> {
  if (triggerId === null) return [];
  const trigger = await db.selectFrom('ci_triggers').select('token').where('id', '=', triggerId).executeTakeFirst();
  return publicVariables({
    CI_PIPELINE_TRIGGERED: 'true',
    CI_TRIGGER_SHORT_TOKEN: trigger && shortTriggerToken(trigger.token),
  });
}

/** Non-secret identifier of a trigger token. */
export const shortTriggerToken = (token: string): string =>
  (token.startsWith(TRIGGER_TOKEN_PREFIX) ? token.slice(TRIGGER_TOKEN_PREFIX.length) : token).slice(0, 4);

/** Variables about the user of a job. */
export async function userVariables(db: Db, userId: number): Promise<Variable[]> {
  const [user] = await userOfId(db, { id: userId });
  return publicVariables({
    GITLAB_USER_ID: user?.id,
    GITLAB_USER_EMAIL: user?.email,
    GITLAB_USER_LOGIN: user?.username,
    GITLAB_USER_NAME: user?.name,
  });
}

const MAX_RELEASE_DESCRIPTION = 1_024;

/** Variables about the release of the pipeline's tag. */
export async function releaseVariables(
  db: Db,
  { project_id, ref, tag }: Pick<Pipeline, 'project_id' | 'ref' | 'tag'>,
): Promise<Variable[]> {
  const release = tag === 1 ? (await releasesOfTags(db, project_id, [ref])).get(ref) : undefined;
  if (release === undefined) return [];
  const text = [...(release.description ?? '')].slice(0, MAX_RELEASE_DESCRIPTION).join('');
  return [
    ...publicVariable('CI_RELEASE_DESCRIPTION', text).map((variable) => ({ ...variable, raw: true })),
    ...publicVariable('CI_RELEASE_NAME', release.name),
  ];
}

interface Running {
  job: CiJob;
  project: Project;
  pipeline: Pipeline;
  token: string;
  runner: Pick<CiRunner, 'id' | 'description' | 'tag_list'> | null;
}

/** Variables of a running job: its id, its token and its runner. */
export function runningJobVariables(deps: Deps, { job, project, pipeline, token, runner }: Running): Variable[] {
  const web = `${deps.externalUrl()}/${project.full_path}`;
  const clone = new URL(httpCloneAddress(deps, project.full_path));
  clone.username = JOB_USER;
  clone.password = token;
  const startedAt = instant(job.started_at ?? deps.clock.now().toISOString());
  return [
    ...publicVariables({
      CI_PIPELINE_ID: pipeline.id,
      CI_PIPELINE_URL: `${web}/-/pipelines/${pipeline.id}`,
      CI_JOB_ID: job.id,
      CI_JOB_URL: `${web}/-/jobs/${job.id}`,
      CI_JOB_STARTED_AT: startedAt,
      CI_JOB_STARTED_AT_SLUG: slug(startedAt),
    }),
    secretVariable('CI_JOB_TOKEN', token),
    ...publicVariable('CI_REGISTRY_USER', JOB_USER),
    secretVariable('CI_REGISTRY_PASSWORD', token),
    { key: 'CI_REPOSITORY_URL', value: clone.href, public: false },
    ...publicVariables({
      CI_RUNNER_ID: runner?.id,
      CI_RUNNER_DESCRIPTION: runner?.description,
      CI_RUNNER_TAGS: runner && listed(parseJson<string[]>(runner.tag_list)),
    }),
  ];
}

/** Formats a list as `["a", "b"]`. */
const listed = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
