import { Type } from 'typebox';
import { TIERS } from '../../../ci/ci.environments.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { SimpleProject } from '../../spaces/index.ts';
import { Job } from '../jobs/jobs.responses.ts';

export const ENVIRONMENT_STATES = ['available', 'stopping', 'stopped'] as const;
export const AUTO_STOP_SETTINGS = ['always', 'with_action'] as const;
export const DEPLOYMENT_STATES = ['created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked'] as const;

const basic = {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  external_url: Nullable(Type.String()),
  created_at: Instant(),
  updated_at: Instant(),
};

/** An environment nested in other objects. */
export const EnvironmentBasic = Type.Object(basic);

/** A deployment to an environment, by a job or by an external tool. */
export const Deployment = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer(),
  ref: Type.String(),
  sha: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  user: Nullable(UserBasic),
  environment: EnvironmentBasic,
  deployable: Nullable(Job),
  status: Enum(DEPLOYMENT_STATES),
  pending_approval_count: Type.Integer(),
  approvals: Type.Array(Type.Object({}), { description: 'Always empty: deployments need no approval.' }),
});

const full = {
  ...basic,
  description: Nullable(Type.String()),
  tier: Enum(TIERS),
  state: Enum(ENVIRONMENT_STATES),
  auto_stop_at: Nullable(Instant()),
  auto_stop_setting: Enum(AUTO_STOP_SETTINGS),
  cluster_agent: Type.Null(),
  kubernetes_namespace: Nullable(Type.String()),
  flux_resource_path: Nullable(Type.String()),
};

/** An environment in a list. */
export const EnvironmentListEntry = Type.Object(full);

/** An environment with its project. */
export const Environment = Type.Object({ ...full, project: SimpleProject });

/** An environment with its project and its last deployment. */
export const EnvironmentDetails = Type.Object({
  ...full,
  project: SimpleProject,
  last_deployment: Nullable(Deployment),
});
