import { Type } from 'typebox';
import { TIERS } from '../../../ci/ci.environments.ts';
import { Enum, Instant, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { AUTO_STOP_SETTINGS, ENVIRONMENT_STATES } from './environments.responses.ts';

export const EnvironmentId = { environment_id: Type.Integer() };

export const listEnvironments = Type.Object({
  name: Type.Optional(Type.String({ description: 'Only the environment of exactly this name.' })),
  search: Type.Optional(
    Type.String({ description: 'Only environments whose name contains this text, of at least three characters.' }),
  ),
  states: Type.Optional(Enum(ENVIRONMENT_STATES, { description: 'Only environments in this state.' })),
  ...pagination,
});

const attributes = {
  external_url: Nullable(
    Type.String({ description: 'URL at which the environment can be visited; at most 255 characters.' }),
  ),
  tier: Enum(TIERS, { description: 'Deployment tier; derived from the name when absent.' }),
  description: Nullable(Type.String({ description: 'Description in Markdown; at most 10,000 characters.' })),
  auto_stop_setting: Enum(AUTO_STOP_SETTINGS, {
    description: 'Whether the environment stops when its auto-stop time is reached: always, or only with a stop job.',
  }),
  cluster_agent_id: Nullable(
    Type.Integer({ description: 'Id of the agent for Kubernetes; this server has no agents.' }),
  ),
  kubernetes_namespace: Nullable(Type.String({ description: 'Kubernetes namespace.' })),
  flux_resource_path: Nullable(Type.String({ description: 'Path of the Flux resource.' })),
  slug: Type.String({ description: 'Refused: the slug is derived from the name.' }),
};

export const newEnvironment = Type.Object({
  name: Type.String({ description: 'Name of the environment. A slash separates folders.', examples: ['review/one'] }),
  ...optional(attributes).properties,
});
export const changedEnvironment = optional(attributes);

export const stopInput = optional({
  force: Type.Boolean({ description: 'Stop the environment without running its stop jobs.' }),
});

export const stopStale = Type.Object({
  before: Instant({
    description: 'Stop environments without activity since this time, which lies a week to ten years back.',
  }),
});

export const deleteReviewApps = optional({
  before: Instant({ description: 'Only environments created before this time; 30 days ago when absent.' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 100,
    description: 'Maximum number of environments to delete.',
  }),
  dry_run: Type.Boolean({ default: true, description: 'Only list the environments, without deleting them.' }),
});
