import type { Caller } from '../../access/caller.ts';
import { ADMIN_SCOPES, PERSONAL_SCOPES } from '../../access/token-scopes.ts';
import { createToken } from '../../api/identity/index.ts';
import { dayIn } from '../../core/clock.ts';
import { ApiError, refused } from '../../core/core.errors.ts';
import { parseJson } from '../../db/columns.ts';
import type { Deps } from '../../deps.ts';

const USAGE = 'Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]';
const DEFAULT_DAYS = 30;
/** Maximum lifetime that can be requested, in days. */
const MAX_DAYS = 100_000;
const MAX_NAME = 255;
/** Scopes for administrators cannot be obtained with a key. */
const SCOPES: readonly string[] = PERSONAL_SCOPES.filter((scope) => !ADMIN_SCOPES.includes(scope)).sort();

/**
 * Implements `personal_access_token NAME SCOPES [DAYS]`: creates a token for the owner of the key.
 * @param words arguments of the command
 * @returns output that shows the token
 * @throws ApiError 400 for invalid arguments and violations of token rules, 403 for callers without a user
 */
export async function makeToken(deps: Deps, { user, credential }: Caller, words: readonly string[]): Promise<string> {
  const [name, list, ttl] = words;
  if (name === undefined || list === undefined || words.length > 3) throw refused(USAGE);
  const expiresAt = expiryOf(deps, ttl);
  // A certificate is valid in one group, while a token would be valid everywhere.
  if (credential.kind === 'ssh_certificate') throw refused('Could not find the given key', 403);
  if (user === null) throw refused('Deploy keys cannot be used to create personal access tokens', 403);
  if (name.trim() === '') throw refused('No token name specified');
  if (name.length > MAX_NAME)
    throw refused(`Failed to create token: Name is too long (maximum is ${MAX_NAME} characters)`);
  if (name.includes('\0')) throw refused('Failed to create token: Name is invalid');
  const scopes = list.split(',');
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) {
    const valid = SCOPES.map((scope) => JSON.stringify(scope)).join(', ');
    throw refused(`Invalid scope: '${unknown.slice(0, 100)}'. Valid scopes are: [${valid}]`);
  }
  const { token, row } = await createToken(deps, user, { name, scopes, expiresAt }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) throw refused(`Failed to create token: ${error.message}`);
    throw error;
  });
  const granted = parseJson<string[]>(row.scopes).join(',');
  return `Token:   ${token}\nScopes:  ${granted}\nExpires: ${row.expires_at ?? 'never'}\n`;
}

/** Expiry date: a token with a lifetime in days is valid through the last of them. */
function expiryOf({ clock }: Deps, ttl: string | undefined): string {
  if (ttl === undefined) return dayIn(clock, DEFAULT_DAYS);
  if (!/^\+?\d{1,18}$/.test(ttl)) throw refused(`Invalid value for days_ttl: '${ttl.slice(0, 100)}'`);
  return dayIn(clock, Math.min(Number(ttl), MAX_DAYS) + 1);
}
