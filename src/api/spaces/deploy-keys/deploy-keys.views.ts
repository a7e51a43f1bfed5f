import type { Static } from 'typebox';
import type { DeployKey as DeployKeyRow } from '../../../db/tables/deploy-keys.table.ts';
import type { DeployKey } from './deploy-keys.responses.ts';

/** Renders a deploy key. */
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
