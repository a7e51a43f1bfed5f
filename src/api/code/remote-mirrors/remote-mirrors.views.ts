import type { Static } from 'typebox';
import type { RemoteMirror } from '../../../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../../../deps.ts';
import { maskCredentials } from '../../../mirroring/mirroring.address.ts';
import { hostKeyFingerprints } from '../../../mirroring/push/known-hosts.ts';
import { mirrorUrlOf } from '../../../mirroring/stored-address.ts';
import type { RemoteMirror as Answer } from './remote-mirrors.responses.ts';

/** Renders a push mirror. */
export const presentRemoteMirror = (deps: Deps, row: RemoteMirror): Static<typeof Answer> => ({
  id: row.id,
  enabled: row.enabled === 1,
  url: maskCredentials(mirrorUrlOf(deps, row) ?? ''),
  update_status: row.update_status,
  last_update_at: row.last_update_at,
  last_update_started_at: row.last_update_started_at,
  last_successful_update_at: row.last_successful_update_at,
  last_error: row.last_error,
  only_protected_branches: row.only_protected_branches === 1,
  keep_divergent_refs: row.keep_divergent_refs === 1,
  mirror_branch_regex: row.mirror_branch_regex,
  auth_method: row.auth_method,
  host_keys: hostKeyFingerprints(row.host_keys).map((fingerprint_sha256) => ({ fingerprint_sha256 })),
});
