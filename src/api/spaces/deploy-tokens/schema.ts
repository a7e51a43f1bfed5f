import { type Static, Type } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { DeployToken as DeployTokenRow } from '../../../db/tables/tokens.ts';
import type { Deps } from '../../../deps.ts';
import { Enum, Filled, Instant, List, Nullable, optional } from '../../../http/schema.ts';

export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_package_registry',
  'write_package_registry',
] as const;

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: Nullable(Instant()),
  scopes: Type.Array(Type.String()),
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
};

export const DeployToken = Type.Object(fields);
export const DeployTokenWithSecret = Type.Object({
  ...fields,
  token: Type.String({ description: 'Shown in this answer only.' }),
});

export const newDeployToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(DEPLOY_TOKEN_SCOPES), { description: 'What the token may do, one at least.' }),
  ...optional({
    expires_at: Nullable(Instant({ description: 'End of its life; without one it does not expire.' })),
    username: Type.String({
      maxLength: 255,
      description: 'Name to sign in with; `gitlab+deploy-token-<id>` when absent.',
    }),
  }).properties,
});

/** The token as the API shows it; never its text. */
export function presentDeployToken(deps: Pick<Deps, 'clock'>, row: DeployTokenRow): Static<typeof DeployToken> {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: row.expires_at,
    scopes: parseJson<string[]>(row.scopes),
    revoked: row.revoked === 1,
    expired: row.expires_at !== null && row.expires_at <= deps.clock.now().toISOString(),
  };
}
