import { Type } from 'typebox';
import { Enum, Filled, Instant } from '../../../../http/http.schema.ts';
import { MergeRequestBasic } from '../views/merge-requests.responses.ts';

const CheckedBranch = Type.Object({
  id: Type.Integer(),
  project_id: Type.Integer(),
  name: Type.String({ description: 'Name, or pattern with `*`.' }),
  created_at: Instant(),
  updated_at: Instant(),
  code_owner_approval_required: Type.Boolean(),
});

/** An external service that checks merge requests of a project. */
export const ExternalStatusCheck = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  project_id: Type.Integer(),
  external_url: Type.String(),
  hmac: Type.Boolean({ description: 'Whether requests to the service are signed with a shared secret.' }),
  protected_branches: Type.Array(CheckedBranch, {
    description: 'Target branches of the merge requests to check; empty for all.',
  }),
});

export const STATUSES = ['pending', 'passed', 'failed'] as const;

/** State of a check for a merge request. */
export const StatusCheck = Type.Object({
  id: Type.Integer({ description: 'Id of the external status check.' }),
  name: Type.String(),
  external_url: Type.String(),
  status: Enum(STATUSES),
});

/** Result that a service sent for a merge request. */
export const StatusCheckResponse = Type.Object({
  id: Type.Integer(),
  merge_request: MergeRequestBasic,
  external_status_check: ExternalStatusCheck,
  status: Enum(STATUSES),
});

export const name = Filled({ maxLength: 255 });

export const external_url = Filled({ maxLength: 2_048, description: 'HTTP URL of the service.' });
