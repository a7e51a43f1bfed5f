import { Type } from 'typebox';
import { Enum, Filled, Instant, List, Nullable, optional } from '../../../http/http.schema.ts';

export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_package_registry',
  'write_package_registry',
] as const;

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
