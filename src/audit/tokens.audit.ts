import { parseJson } from '../db/columns.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import { type AuditEntry, auditEntity, user } from './record.audit.ts';

/** Recorded facts of an access token; the token itself is never recorded. */
export type TokenFacts = Pick<AccessToken, 'id' | 'name' | 'user_id' | 'scopes' | 'impersonation'> &
  Pick<AccessToken, 'resource_type' | 'resource_id'>;

/** The audit entry of a created or revoked token: in its project or group, else in its user. */
export function tokenEntry(token: TokenFacts, happened: 'created' | 'revoked'): AuditEntry {
  const { id, resource_type: type, resource_id } = token;
  const target = { id, type: 'PersonalAccessToken', details: token.name };
  const kind = type ?? (token.impersonation === 1 ? 'impersonation' : 'personal');
  const words = type === null && kind === 'impersonation' ? 'impersonation token' : `${kind} access token`;
  const scopes = parseJson<string[]>(token.scopes).join(', ');
  const message =
    happened === 'created' ? `Created ${words} with id ${id} and scopes ${scopes}` : `Revoked ${words} with id ${id}`;
  if (type === null) return { name: `personal_access_token_${happened}`, entity: user(token.user_id), target, message };
  const name =
    happened === 'created' ? (`${type}_access_token_created` as const) : (`${type}_access_token_deleted` as const);
  return { name, entity: auditEntity(type, resource_id!), target, message };
}
