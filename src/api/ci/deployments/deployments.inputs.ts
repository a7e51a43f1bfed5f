import { type Static, Type } from 'typebox';
import { Enum, Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { DEPLOYMENT_STATES } from '../environments/environments.responses.ts';

export const DeploymentId = { deployment_id: Type.Integer() };

export const listDeployments = Type.Object({
  order_by: Type.Optional(Enum(['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
  updated_after: Type.Optional(
    Instant({ description: 'Only deployments updated at this time or later; takes `order_by=updated_at`.' }),
  ),
  updated_before: Type.Optional(
    Instant({ description: 'Only deployments updated at this time or earlier; takes `order_by=updated_at`.' }),
  ),
  finished_after: Type.Optional(
    Instant({
      description:
        'Only deployments finished at this time or later; takes `status=success` and `order_by=finished_at`.',
    }),
  ),
  finished_before: Type.Optional(
    Instant({
      description:
        'Only deployments finished at this time or earlier; takes `status=success` and `order_by=finished_at`.',
    }),
  ),
  environment: Type.Optional(Type.String({ description: 'Only deployments to the environment of this name.' })),
  status: Type.Optional(Enum(DEPLOYMENT_STATES)),
  ...pagination,
});
export type DeploymentFilters = Omit<Static<typeof listDeployments>, 'page' | 'per_page'>;

const status = Enum(['running', 'success', 'failed', 'canceled'], { description: 'Status of the deployment.' });

export const newDeployment = Type.Object({
  environment: Filled({ description: 'Name of the environment, which is created if it does not exist.' }),
  sha: Filled({ description: 'Id of the deployed commit.' }),
  ref: Filled({ description: 'Branch or tag that is deployed.' }),
  tag: Type.Boolean({ description: 'Whether `ref` is a tag.' }),
  status,
});

export const changedDeployment = Type.Object({ status });
