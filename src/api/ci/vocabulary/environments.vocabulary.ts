import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by environments, deployments and resource groups. */
export const environmentWords: Vocabulary['entries'] = {
  deployment_id: ['Id of the deployment.', 3],
  environment_id: ['Id of the environment.', 3],
  environment: ['Environment.'],
  external_url: ['URL at which the environment can be visited; null for none.', 'https://staging.forge.example'],
  tier: ['Deployment tier.', 'staging'],
  auto_stop_at: ['When the environment stops automatically; null for never.'],
  auto_stop_setting: [
    'Whether the environment stops when its auto-stop time is reached: always, or only with a stop job.',
    'always',
  ],
  cluster_agent: ['Always null: the server has no agents for Kubernetes.', null],
  kubernetes_namespace: ['Kubernetes namespace; null for none.', null],
  flux_resource_path: ['Path of the Flux resource; null for none.', null],
  last_deployment: ['Last deployment to the environment; null for none.'],
  deployable: ['The job that deployed; null for deployments by external tools.'],
  pending_approval_count: ['Always 0: deployments need no approval.', 0],
  slug: ['Name in the form used in URLs.', 'review-one-4bd2ka'],
  states: ['Only environments in this state.', 'available'],
  freeze_period_id: ['Id of the freeze period.', 3],
  freeze_start: ['Start of the freeze, as a cron expression of five fields.', '0 23 * * 5'],
  freeze_end: ['End of the freeze, as a cron expression of five fields.', '0 7 * * 1'],
  process_mode: ['Order in which waiting jobs get the resource group.', 'unordered'],
  'ResourceGroup.key': ['Key of the resource group, as in the configuration.', 'production'],
};
