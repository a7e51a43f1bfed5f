import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserPublic } from '../users/users.responses.ts';

export const USAGE_TYPES = ['auth', 'signing', 'auth_and_signing'] as const;

export const SshKeyEntity = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  created_at: Instant(),
  expires_at: Nullable(Instant()),
  last_used_at: Nullable(Instant()),
  key: Type.String(),
  usage_type: Enum(USAGE_TYPES),
});

const DeployKeyProject = Type.Object({
  id: Type.Integer(),
  deploy_key_id: Type.Integer(),
  project_id: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
  can_push: Type.Boolean(),
});

/** A key with its user; a deploy key has projects instead. */
export const SshKeyWithUser = Type.Object({
  ...SshKeyEntity.properties,
  user: Nullable(UserPublic),
  deploy_keys_projects: Type.Optional(Type.Array(DeployKeyProject)),
});
