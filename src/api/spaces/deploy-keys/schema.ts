import { type Static, Type } from 'typebox';
import type { DeployKey as DeployKeyRow } from '../../../db/tables/tokens.ts';
import { Filled, Instant, Nullable, optional } from '../../../http/schema.ts';

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
  fingerprint: Type.String({ description: 'MD5, pairs of hexadecimal digits.' }),
  fingerprint_sha256: Type.String(),
};

export const DeployKey = Type.Object(fields);
/** For administrators: with the projects that use the key. */
export const DeployKeyWithProjects = Type.Object({
  ...fields,
  projects_with_write_access: Type.Array(ProjectIdentity),
  projects_with_readonly_access: Type.Array(ProjectIdentity),
});
export const ProjectDeployKey = Type.Object({
  ...fields,
  can_push: Type.Boolean({ description: 'Whether it may push to this project.' }),
});

const newKeyFields = {
  key: Filled({ description: 'Public key, one line in the format of OpenSSH.' }),
  title: Filled({ maxLength: 255 }),
};
const expiresAt = Nullable(Instant({ description: 'End of its life; without one it does not expire.' }));

export const newPublicKey = Type.Object({ ...newKeyFields, expires_at: Type.Optional(expiresAt) });
export const newProjectKey = Type.Object({
  ...newKeyFields,
  ...optional({ can_push: Type.Boolean({ default: false }), expires_at: expiresAt }).properties,
});
export const keyChange = optional({ title: Filled({ maxLength: 255 }), can_push: Type.Boolean() });

/** The key as the API shows it. */
export function presentKey(row: DeployKeyRow): Static<typeof DeployKey> {
  return {
    id: row.id,
    title: row.title,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    key: row.key,
    usage_type: 'auth_and_signing',
    fingerprint: row.md5_fingerprint,
    fingerprint_sha256: row.fingerprint,
  };
}
