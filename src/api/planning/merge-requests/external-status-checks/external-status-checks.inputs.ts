import { type Static, Type } from 'typebox';
import { Enum, Filled, List, optional, Secret } from '../../../../http/http.schema.ts';
import { external_url, name, STATUSES } from './external-status-checks.responses.ts';

const others = {
  shared_secret: Secret({ maxLength: 255, description: 'Secret that signs requests to the service; never shown.' }),
  protected_branch_ids: List(Type.Integer(), {
    maxItems: 100,
    description: 'Ids of protected branches of the project.',
  }),
};

export const CreateStatusCheck = Type.Object({ name, external_url, ...optional(others).properties });

export const UpdateStatusCheck = optional({ name, external_url, ...others });

export type StatusCheckInput = Static<typeof UpdateStatusCheck>;

export const RespondToStatusCheck = Type.Object({
  sha: Filled({ maxLength: 64, description: 'Head of the merge request; the request fails if the head differs.' }),
  external_status_check_id: Type.Integer(),
  status: Type.Optional(Enum(STATUSES, { default: 'passed' })),
});
