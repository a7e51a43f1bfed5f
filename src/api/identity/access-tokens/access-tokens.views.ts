import { type Clock, today } from '../../../core/clock.ts';
import { parseJson } from '../../../db/columns.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';

/** Fields of every kind of access token; never the token itself. */
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

/** As `presentToken`, with the IP addresses that last used it. */
export const presentTokenWithUse = (row: AccessToken, clock: Clock) => ({
  ...presentToken(row, clock),
  last_used_ips: parseJson<string[]>(row.last_used_ips),
});

/** As `presentToken`, for a token that was just issued: with the token itself, which is never shown again. */
export const presentIssued = ({ row, token }: { row: AccessToken; token: string }, clock: Clock) => ({
  ...presentToken(row, clock),
  token,
});
