import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** What the words of environments, deployments and what they wait for mean. */
export const environmentWords: Vocabulary['entries'] = {
  deployment_id: ['Id of the deployment.', 3],
  environment_id: ['Id of the environment.', 3],
  environment: ['Environment that it is about.'],
  external_url: ['Where it can be seen; null for nowhere.', 'https://staging.forge.example'],
  tier: ['What it is for.', 'staging'],
  auto_stop_at: ['When it is stopped by itself; null for never.'],
  auto_stop_setting: ['Whether it is stopped when its time is over: always, or only where a job stops it.', 'always'],
  cluster_agent: ['Always null: no agent for Kubernetes is part of this server.', null],
  kubernetes_namespace: ['Namespace in Kubernetes; null for none.', null],
  flux_resource_path: ['Path of the Flux resource; null for none.', null],
  last_deployment: ['What was deployed to it last; null for nothing.'],
  deployable: ['The job that deployed; null for what was deployed from outside.'],
  pending_approval_count: ['Always 0: deployments wait for nobody.', 0],
  slug: ['Its name as addresses have it.', 'review-one-4bd2ka'],
  states: ['Only those in this state.', 'available'],
  freeze_period_id: ['Id of the freeze period.', 3],
  freeze_start: ['When it begins: five fields as cron reads them.', '0 23 * * 5'],
  freeze_end: ['When it ends: five fields as cron reads them.', '0 7 * * 1'],
  process_mode: ['Which job gets it next.', 'unordered'],
  'ResourceGroup.key': ['What jobs call it.', 'production'],
};
