import type { Static } from 'typebox';
import type { StoredCheck } from '../mergeability/external-status-checks.checks.ts';
import type { ExternalStatusCheck } from './external-status-checks.responses.ts';

/** Presents a check to maintainers. */
export const presentCheck = (check: StoredCheck): Static<typeof ExternalStatusCheck> => ({
  id: check.id,
  name: check.name,
  project_id: check.project_id,
  external_url: check.external_url,
  hmac: check.shared_secret !== null,
  protected_branches: check.branches.map((branch) => ({
    id: branch.id,
    project_id: check.project_id,
    name: branch.name,
    created_at: branch.created_at,
    updated_at: branch.updated_at,
    code_owner_approval_required: branch.code_owner_approval_required === 1,
  })),
});
