import { Type } from 'typebox';
import { Day, Instant, Nullable } from '../../../http/http.schema.ts';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: Instant(),
  description: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: Nullable(Instant()),
  active: Type.Boolean({ description: 'Whether the token is neither revoked nor expired.' }),
  expires_at: Nullable(Day()),
};

const token = { token: Type.String({ description: 'The token itself; only this response contains it.' }) };

const impersonation = { impersonation: Type.Boolean() };

const resource = {
  access_level: Type.Integer(),
  resource_type: Type.String(),
  resource_id: Type.Integer(),
};

const lastUsedIps = { last_used_ips: Type.Array(Type.String()) };

/** Schemas of the answers that show access tokens. */
export const PersonalToken = Type.Object({ ...fields, ...lastUsedIps });

export const PersonalTokenWithSecret = Type.Object({ ...fields, ...token });

export const ImpersonationToken = Type.Object({ ...fields, ...lastUsedIps, ...impersonation });

export const ImpersonationTokenWithSecret = Type.Object({ ...fields, ...impersonation, ...token });

export const ResourceToken = Type.Object({ ...fields, ...lastUsedIps, ...resource });

export const ResourceTokenWithSecret = Type.Object({ ...fields, ...resource, ...token });
