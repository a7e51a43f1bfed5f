import { randomUUID, sign } from 'node:crypto';
import { projectMembership } from '../../access/access.membership.ts';
import { atLevel } from '../../access/role-permissions.ts';
import type { EnvironmentConfig } from '../../ci/pipeline-config.ts';
import { today } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../db/tables/ci-runners.table.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

/** Claims of ID tokens about a job. */
export interface TokenSubject {
  job: CiJob;
  pipeline: Pipeline;
  project: Project;
  /** Namespace of the project. */
  namespace: Namespace;
  environment: EnvironmentConfig | null;
  tier: string | null;
  runner: Pick<CiRunner, 'id'> | null;
}

/** Lifetime in seconds of a token for a job without a time limit. */
const LIFE = 300;
/** Tolerated clock skew in seconds. */
const SLACK = 5;
const SUBJECT = ['project_path', 'ref_type', 'ref'];

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs the ID tokens of a job: JSON Web Tokens (RS256) that identify it to other services, each for its audience.
 * @param audiences by the names of the token variables
 * @param db the handle of a transaction, if there is one
 */
export async function idTokens(
  deps: Deps,
  db: Db,
  subject: TokenSubject,
  audiences: Readonly<Record<string, readonly string[]>>,
): Promise<{ key: string; value: string }[]> {
  const key = await signingKey(deps, db);
  const claims = await claimsOf(deps, db, subject);
  const issued = Math.floor(deps.clock.now().getTime() / 1_000);
  const times = {
    iss: deps.externalUrl(),
    iat: issued,
    nbf: issued - SLACK,
    exp: issued + (subject.job.timeout ?? LIFE),
  };
  return Object.entries(audiences).map(([name, aud]) => ({
    key: name,
    value: signed(key, { ...claims, ...times, jti: randomUUID(), aud: aud.length === 1 ? aud[0] : aud }),
  }));
}

function signed({ id, privateKey }: SigningKey, payload: object): string {
  const text = `${encoded({ kid: id, typ: 'JWT', alg: 'RS256' })}.${encoded(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

async function claimsOf(deps: Deps, db: Db, subject: TokenSubject): Promise<Record<string, unknown>> {
  const { job, pipeline, project, namespace, environment, tier, runner } = subject;
  const user = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'admin'])
    .where('id', '=', job.user_id)
    .executeTakeFirst();
  const { level } =
    user === undefined ? atLevel(0) : await projectMembership(db, project, namespace, user.id, today(deps.clock));
  const refType = job.tag === 1 ? 'tag' : 'branch';
  const ofMergeRequest = pipeline.ref.startsWith('refs/merge-requests/');
  const refPath = ofMergeRequest ? pipeline.ref : `refs/${job.tag === 1 ? 'tags' : 'heads'}/${job.ref}`;
  const host = new URL(deps.externalUrl()).host;
  const config = pipeline.config_path ?? '.gitlab-ci.yml';
  return {
    sub: subjectOf(project, { project_path: project.full_path, ref_type: refType, ref: job.ref }),
    namespace_id: String(namespace.id),
    namespace_path: namespace.full_path,
    project_id: String(project.id),
    project_path: project.full_path,
    project_visibility: project.visibility,
    user_id: String(job.user_id),
    user_login: user?.username ?? null,
    user_email: user?.email ?? null,
    user_access_level: user?.admin === 1 && level === 0 ? 'owner' : (LEVELS[level] ?? null),
    pipeline_id: String(pipeline.id),
    pipeline_source: pipeline.source,
    job_id: String(job.id),
    ref: job.ref,
    ref_type: refType,
    ref_path: refPath,
    ref_protected: String(job.protected === 1),
    sha: job.sha,
    runner_id: runner?.id ?? null,
    runner_environment: 'self-hosted',
    ci_config_ref_uri: `${host}/${project.full_path}//${config}@${refPath}`,
    ci_config_sha: job.sha,
    ...(job.environment === null
      ? {}
      : {
          environment: job.environment,
          environment_protected: 'false',
          deployment_tier: tier,
          environment_action: environment?.action ?? 'start',
        }),
  };
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'guest',
  15: 'planner',
  20: 'reporter',
  30: 'developer',
  40: 'maintainer',
  50: 'owner',
};

/** Subject claim such as `project_path:tools/app:ref_type:branch:ref:main`, of the components set by the project. */
function subjectOf(project: Project, parts: Readonly<Record<string, string>>): string {
  const { ci_id_token_sub_claim_components: components = SUBJECT } = parseJson<{
    ci_id_token_sub_claim_components?: string[];
  }>(project.settings);
  return components.flatMap((name) => (parts[name] === undefined ? [] : [`${name}:${parts[name]}`])).join(':');
}
