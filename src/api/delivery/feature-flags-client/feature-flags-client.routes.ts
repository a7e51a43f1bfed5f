import type { Static } from 'typebox';
import type { FeatureFlagsClient as Row } from '../../../db/tables/feature-flags-clients.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import { flagsClient, resetToken } from '../flags-client.ts';
import { FeatureFlagsClient } from './feature-flags-client.responses.ts';

const PATH = '/projects/:id/feature_flags_client';

const present = (deps: Deps, { project_id, token }: Row): Static<typeof FeatureFlagsClient> => ({
  instance_id: token,
  url: `${deps.externalUrl()}/api/v4/feature_flags/unleash/${project_id}`,
});

/** Instance id of the feature flags of a project. */
export const featureFlagsClientRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'Get the client configuration of the feature flags of a project',
    description: 'The instance id does not change until it is reset.',
    access: inProject('read_feature_flag'),
    success: { status: 200, schema: FeatureFlagsClient },
    handler: async ({ deps, project }) => present(deps, await flagsClient(deps, project.id)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/reset_token`,
    summary: 'Reset the instance id of the feature flags of a project',
    description: 'The previous instance id is no longer accepted.',
    access: inProject('admin_feature_flag'),
    success: { status: 201, schema: FeatureFlagsClient },
    handler: async ({ deps, caller, project }) => present(deps, await resetToken(deps, caller, project.id)),
  }),
];
