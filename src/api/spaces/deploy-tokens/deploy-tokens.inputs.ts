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
  scopes: List(Enum(DEPLOY_TOKEN_SCOPES), { description: 'Scopes of the token; at least one.' }),
  ...optional({
    expires_at: Nullable(Instant({ description: 'When the token expires; never when absent.' })),
    username: Type.String({
      maxLength: 255,
      description: 'User name of the token; `gitlab+deploy-token-<id>` when absent.',
    }),
  }).properties,
});
