import { Type } from 'typebox';
import { TIERS } from '../../../ci/ci.environments.ts';
import { Enum, Instant, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { AUTO_STOP_SETTINGS, ENVIRONMENT_STATES } from './environments.responses.ts';

export const EnvironmentId = { environment_id: Type.Integer() };

export const listEnvironments = Type.Object({
  name: Type.Optional(Type.String({ description: 'Only the one of exactly this name.' })),
  search: Type.Optional(
    Type.String({ description: 'Only those whose name has this text; three characters at least.' }),
  ),
  states: Type.Optional(Enum(ENVIRONMENT_STATES, { description: 'Only those in this state.' })),
  ...pagination,
});

const attributes = {
  external_url: Nullable(Type.String({ description: 'Where it can be seen; at most 255 characters.' })),
  tier: Enum(TIERS, { description: 'What it is for; told by its name when absent.' }),
  description: Nullable(Type.String({ description: 'What it is, in Markdown; at most 10,000 characters.' })),
  auto_stop_setting: Enum(AUTO_STOP_SETTINGS, {
    description: 'Whether it is stopped when its time is over: always, or only where a job stops it.',
  }),
  cluster_agent_id: Nullable(
    Type.Integer({ description: 'Id of the agent for Kubernetes; none is part of this server.' }),
  ),
  kubernetes_namespace: Nullable(Type.String({ description: 'Namespace in Kubernetes.' })),
  flux_resource_path: Nullable(Type.String({ description: 'Path of the Flux resource.' })),
  slug: Type.String({ description: 'Refused: it is made of the name.' }),
};

export const newEnvironment = Type.Object({
  name: Type.String({ description: 'Name; folders stand before a slash.', examples: ['review/one'] }),
  ...optional(attributes).properties,
});
export const changedEnvironment = optional(attributes);

export const stopInput = optional({
  force: Type.Boolean({ description: 'Whether it is stopped without its stop jobs.' }),
});

export const stopStale = Type.Object({
  before: Instant({ description: 'Those that nothing was done to since; a week to ten years ago.' }),
});

export const deleteReviewApps = optional({
  before: Instant({ description: 'Only those made before this; 30 days ago when absent.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'How many at most.' }),
  dry_run: Type.Boolean({ default: true, description: 'Whether they are listed alone, and stay.' }),
});
