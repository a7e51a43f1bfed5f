import { Type } from 'typebox';
import { Enum, Filled, Instant } from '../../../../http/http.schema.ts';
import { MergeRequestBasic } from '../requests/merge-requests.responses.ts';

const CheckedBranch = Type.Object({
  id: Type.Integer(),
  project_id: Type.Integer(),
  name: Type.String({ description: 'A name, or a pattern with `*`.' }),
  created_at: Instant(),
  updated_at: Instant(),
  code_owner_approval_required: Type.Boolean(),
});

/** A service outside that says whether merge requests of a project are fine. */
export const ExternalStatusCheck = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  project_id: Type.Integer(),
  external_url: Type.String(),
  hmac: Type.Boolean({ description: 'Whether what it is sent is signed with a shared secret.' }),
  protected_branches: Type.Array(CheckedBranch, { description: 'It is for merge requests into these; none: for all.' }),
});

export const STATUSES = ['pending', 'passed', 'failed'] as const;

/** Where a merge request stands to a check. */
export const StatusCheck = Type.Object({
  id: Type.Integer({ description: 'Id of the external status check.' }),
  name: Type.String(),
  external_url: Type.String(),
  status: Enum(STATUSES),
});

/** What a service said of a merge request. */
export const StatusCheckResponse = Type.Object({
  id: Type.Integer(),
  merge_request: MergeRequestBasic,
  external_status_check: ExternalStatusCheck,
  status: Enum(STATUSES),
});

export const name = Filled({ maxLength: 255 });

export const external_url = Filled({ maxLength: 2_048, description: 'Address of the service, over HTTP.' });
