import { type Static, Type } from 'typebox';
import { Enum, Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { DEPLOYMENT_STATES } from '../environments/environments.responses.ts';

export const DeploymentId = { deployment_id: Type.Integer() };

export const listDeployments = Type.Object({
  order_by: Type.Optional(Enum(['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
  updated_after: Type.Optional(
    Instant({ description: 'Only those changed at this time or later; ordered by `updated_at`.' }),
  ),
  updated_before: Type.Optional(
    Instant({ description: 'Only those changed at this time or earlier; ordered by `updated_at`.' }),
  ),
  finished_after: Type.Optional(
    Instant({ description: 'Only those that ended at this time or later; successful ones, ordered by `finished_at`.' }),
  ),
  finished_before: Type.Optional(
    Instant({
      description: 'Only those that ended at this time or earlier; successful ones, ordered by `finished_at`.',
    }),
  ),
  environment: Type.Optional(Type.String({ description: 'Only those to the environment of this name.' })),
  status: Type.Optional(Enum(DEPLOYMENT_STATES)),
  ...pagination,
});
export type DeploymentFilters = Omit<Static<typeof listDeployments>, 'page' | 'per_page'>;

const status = Enum(['running', 'success', 'failed', 'canceled'], { description: 'How it stands.' });

export const newDeployment = Type.Object({
  environment: Filled({ description: 'Name of the environment; it is made where it is not there.' }),
  sha: Filled({ description: 'Id of the commit that is deployed.' }),
  ref: Filled({ description: 'Branch or tag that is deployed.' }),
  tag: Type.Boolean({ description: 'Whether that is a tag.' }),
  status,
});

export const changedDeployment = Type.Object({ status });
