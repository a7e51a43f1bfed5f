import { type Static, Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

const ProjectIdentity = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
});
export type ProjectIdentity = Static<typeof ProjectIdentity>;

const fields = {
  id: Type.Integer(),
  title: Type.String(),
  created_at: Instant(),
  expires_at: Nullable(Instant()),
  last_used_at: Nullable(Instant()),
  key: Type.String(),
  usage_type: Type.String(),
  fingerprint: Type.String({ description: 'MD5 fingerprint, pairs of hexadecimal digits.' }),
  fingerprint_sha256: Type.String(),
};

export const DeployKey = Type.Object(fields);

/** A key with the projects that use it, for administrators. */
export const DeployKeyWithProjects = Type.Object({
  ...fields,
  projects_with_write_access: Type.Array(ProjectIdentity),
  projects_with_readonly_access: Type.Array(ProjectIdentity),
});

export const ProjectDeployKey = Type.Object({
  ...fields,
  can_push: Type.Boolean({ description: 'Whether the key can push to this project.' }),
});
