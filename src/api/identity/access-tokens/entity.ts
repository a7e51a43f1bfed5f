import { Type } from 'typebox';
import { type Clock, today } from '../../../core/clock.ts';
import { parseJson } from '../../../db/columns.ts';
import type { AccessToken } from '../../../db/tables/tokens.ts';
import { Day, Instant, Nullable } from '../../../http/schema.ts';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: Instant(),
  description: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: Nullable(Instant()),
  active: Type.Boolean({ description: 'Neither revoked nor expired.' }),
  expires_at: Nullable(Day()),
};
const token = { token: Type.String({ description: 'Shown in this answer only.' }) };
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

/** What every kind of access token shows of itself; never the token. */
export function presentToken(row: AccessToken, clock: Clock) {
  const expired = row.expires_at !== null && row.expires_at <= today(clock);
  return {
    id: row.id,
    name: row.name,
    revoked: row.revoked === 1,
    created_at: row.created_at,
    description: row.description,
    scopes: parseJson<string[]>(row.scopes),
    user_id: row.user_id,
    last_used_at: row.last_used_at,
    active: row.revoked === 0 && !expired,
    expires_at: row.expires_at,
  };
}

/** As `presentToken`, with the addresses that used it last. */
export const presentTokenWithUse = (row: AccessToken, clock: Clock) => ({
  ...presentToken(row, clock),
  last_used_ips: parseJson<string[]>(row.last_used_ips),
});
