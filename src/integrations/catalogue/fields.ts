/** A field of integrations; its name means the same in every kind. */
export interface Field {
  type: 'string' | 'boolean' | 'integer' | 'array';
  description: string;
  /** Whether it is never shown. */
  secret?: true;
  /** Whether it is an HTTP URL, which must not be blocked. */
  address?: true;
  /** Allowed values of a text or number. */
  values?: readonly (string | number)[];
  /** Default value. */
  fallback?: string | number | boolean;
}

const text = (description: string, more: Partial<Field> = {}): Field => ({ type: 'string', description, ...more });
const flag = (description: string, fallback?: boolean): Field => ({
  type: 'boolean',
  description,
  ...(fallback === undefined ? {} : { fallback }),
});
const secret = (description: string): Field => text(description, { secret: true });
const address = (description: string): Field => text(description, { address: true });

export const BRANCHES = ['all', 'default', 'protected', 'default_and_protected'] as const;
export const LABEL_MATCHES = ['match_any', 'match_all'] as const;

/** Events with a channel of their own. */
const CHANNEL_EVENTS = [
  'push',
  'issue',
  'incident',
  'alert',
  'confidential_issue',
  'merge_request',
  'note',
  'confidential_note',
  'tag_push',
  'deployment',
  'pipeline',
  'wiki_page',
  'vulnerability',
] as const;
export const CHANNELS: readonly string[] = CHANNEL_EVENTS.map((event) => `${event}_channel`);

const channels = Object.fromEntries(
  CHANNEL_EVENTS.map((event) => [
    `${event}_channel`,
    text(`Channels for ${event.replaceAll('_', ' ')} events, separated by commas.`),
  ]),
);

const chat = {
  webhook: text('URL of the incoming webhook of the chat; never shown.', { secret: true, address: true }),
  channel: text('Default channels, separated by commas.'),
  room: text('Room for messages.'),
  thread: text('Topic of the group for messages.'),
  hostname: address('URL of the server, unless it is the public one.'),
  notify_only_broken_pipelines: flag('Whether only failed pipelines are sent.', true),
  notify_only_when_pipeline_status_changes: flag(
    'Whether a pipeline is sent only if its status differs from the previous one on the ref.',
  ),
  notify_only_default_branch: flag(
    'Whether only events of the default branch are sent. Deprecated: use `branches_to_be_notified`.',
  ),
  branches_to_be_notified: text('Branches whose events are sent.', { values: BRANCHES, fallback: 'default' }),
  labels_to_be_notified: text('Labels of the issues and merge requests to send, separated by commas; empty for all.'),
  labels_to_be_notified_behavior: text('Whether any or all of these labels are required.', {
    values: LABEL_MATCHES,
    fallback: 'match_any',
  }),
  recipients: text('Recipients: addresses, separated by spaces.'),
  server_host: text('Host of the irker daemon; defaults to `localhost`.'),
  server_port: { type: 'integer', description: 'Port of the irker daemon; defaults to 6659.' },
  default_irc_uri: text('IRC URI that is put before recipients that are not URIs.'),
  colorize_messages: flag('Whether messages have colours.'),
  device: text('Device for messages; defaults to all.'),
  priority: text('Priority, from -2 (silent) to 2 (requires confirmation).', { values: ['-2', '-1', '0', '1', '2'] }),
  sound: text('Sound of messages.'),
  user_key: secret('Key of the user who receives messages; never shown.'),
  send_from_committer_email: flag(
    'Whether replies go to the user who pushed; mails are sent from their address if it is in the domain of the server.',
  ),
  disable_diffs: flag('Whether mails are sent without diffs.'),
} as const satisfies Record<string, Field>;

const places = {
  url: address('URL of the server.'),
  api_url: address('URL of the API, if it differs.'),
  server: address('URL of the server, unless it is the public one.'),
  project_url: address('URL of the project in the external system.'),
  issues_url: address('URL of an issue, with `:id` in place of its key.'),
  new_issue_url: address('URL for new issues.'),
  repository_url: address('URL of the repository.'),
  workspace_url: address('URL of the workspace.'),
  bamboo_url: address('URL of the Bamboo server.'),
  drone_url: address('URL of the Drone server.'),
  jenkins_url: address('URL of the Jenkins server.'),
  teamcity_url: address('URL of the TeamCity server.'),
  mock_service_url: address('URL of the mock server.'),
  confluence_url: address('URL of the Confluence workspace.'),
  external_wiki_url: address('URL of the wiki.'),
  subdomain: text('Subdomain of the service.'),
  enable_ssl_verification: flag('Whether the TLS certificate of the server is verified.', true),
} as const satisfies Record<string, Field>;

const credentials = {
  username: text('User name for the service.'),
  password: secret('Password for the service; never shown.'),
  token: secret('Token for the service; never shown.'),
  api_key: secret('API key; never shown.'),
  api_token: secret('API token; never shown.'),
} as const satisfies Record<string, Field>;

const builds = {
  build_key: text('Key of the build plan to run.'),
  build_type: text('Id of the build configuration to run.'),
  project_name: text('Name of the project in the external system.'),
  static_context: flag('Whether statuses of all branches use the same context.'),
  restrict_to_branch: text('Branches whose pushes are sent, separated by commas; empty for all.'),
  datadog_site: text('Datadog site; defaults to `datadoghq.com`.'),
  datadog_service: text('Value of the `service` tag of all data.'),
  datadog_env: text('Value of the `env` tag of all data.'),
  datadog_tags: text('Additional tags, one `key:value` per line.'),
  datadog_ci_visibility: flag('Whether pipelines and jobs are sent.'),
  archive_trace_events: flag('Whether archived job logs are sent.'),
  diffblue_license_key: secret('Licence key; never shown.'),
  diffblue_access_token_name: text('Name of the access token for pipelines.'),
  diffblue_access_token_secret: secret('Access token for pipelines; never shown.'),
} as const satisfies Record<string, Field>;

const jira = {
  jira_auth_type: {
    type: 'integer',
    description: 'Authentication: 0 for user name and password, 1 for a token.',
    values: [0, 1],
    fallback: 0,
  },
  jira_issue_regex: text('RE2 expression for issue keys; defaults to `[A-Z][A-Z_0-9]+-\\d+`.'),
  jira_issue_prefix: text('RE2 expression for the prefix of issue keys.'),
  jira_issue_transition_id: text('Ids of the transitions that close an issue, separated by commas.'),
  issues_enabled: text('Whether Jira issues are shown.'),
  project_keys: { type: 'array', description: 'Keys of the Jira projects whose issues are shown.' },
  vulnerabilities_enabled: flag('Whether Jira issues can be created from vulnerabilities.'),
  vulnerabilities_issuetype: text('Id of the issue type for vulnerabilities.'),
  project_key: text('Key of the Jira project for issues from vulnerabilities.'),
  customize_jira_issue_enabled: flag('Whether such an issue can be edited before it is created.'),
  jira_check_enabled: flag('Whether commits must refer to a Jira issue. Stored only: pushes are not checked.'),
  jira_exists_check_enabled: flag('Whether that issue must exist. Stored only.'),
  jira_assignee_check_enabled: flag('Whether that issue must be assigned to the committer. Stored only.'),
  jira_status_check_enabled: flag('Whether that issue must have an allowed status. Stored only.'),
  jira_allowed_statuses_as_string: text('Allowed statuses, separated by commas.'),
  jira_cloud_app_service_ids: text('Ids of Jira services, separated by commas.'),
  jira_cloud_app_enable_deployment_gating: flag('Whether deployments wait for an approved change request.'),
  jira_cloud_app_deployment_gating_environments: text('Environment tiers whose deployments wait.'),
  zentao_product_xid: text('Id of the product in ZenTao.'),
} as const satisfies Record<string, Field>;

const stores = {
  app_store_issuer_id: text('Issuer id in App Store Connect.'),
  app_store_key_id: text('Id of the private key.'),
  app_store_private_key_file_name: text('File name of the key.'),
  app_store_private_key: secret('The private key; never shown.'),
  app_store_protected_refs: flag('Whether only jobs on protected refs get the CI/CD variables.', true),
  package_name: text('Package name of the app.'),
  service_account_key_file_name: text('File name of the key.'),
  service_account_key: secret('Key of the service account, as JSON; never shown.'),
  google_play_protected_refs: flag('Whether only jobs on protected refs get the CI/CD variables.', true),
  artifact_registry_project_id: text('Id of the Google Cloud project.'),
  artifact_registry_repositories: text('Name of the repository in Artifact Registry.'),
  artifact_registry_location: text('Location of the repository.'),
  workload_identity_federation_project_id: text('Id of the Google Cloud project.'),
  workload_identity_federation_project_number: text('Number of the Google Cloud project.'),
  workload_identity_pool_id: text('Id of the workload identity pool.'),
  workload_identity_pool_provider_id: text('Id of the workload identity pool provider.'),
} as const satisfies Record<string, Field>;

/** All fields by name. */
export const FIELDS: Readonly<Record<string, Field>> = {
  ...chat,
  ...channels,
  ...places,
  ...credentials,
  ...builds,
  ...jira,
  ...stores,
};
