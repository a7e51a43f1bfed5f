/** What is set up of an integration, whatever its kind: a name means the same everywhere. */
export interface Field {
  type: 'string' | 'boolean' | 'integer' | 'array';
  description: string;
  /** Never shown. */
  secret?: true;
  /** An address over HTTP, which must be one that the server may reach. */
  address?: true;
  /** What it may be, of a text or a number. */
  values?: readonly (string | number)[];
  /** What holds where nothing was said. */
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

/** Events that have a channel of their own. */
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
    text(`Where it is told of this: ${event.replaceAll('_', ' ')}. Several with commas between them.`),
  ]),
);

const chat = {
  webhook: text('Address of the chat that messages are sent to; never shown.', { secret: true, address: true }),
  channel: text('Where messages go that have no channel of their own. Several with commas between them.'),
  room: text('Room that messages go to.'),
  thread: text('Topic of the group that messages go to.'),
  hostname: address('Address of the server, where it is not the public one.'),
  notify_only_broken_pipelines: flag('Whether it is told of failed pipelines alone.', true),
  notify_only_when_pipeline_status_changes: flag(
    'Whether it is told of a pipeline only where the one before it on the ref ended in another state.',
  ),
  notify_only_default_branch: flag(
    'Whether it is told of the default branch alone; `branches_to_be_notified` is newer.',
  ),
  branches_to_be_notified: text('Branches that it is told of.', { values: BRANCHES, fallback: 'default' }),
  labels_to_be_notified: text(
    'Labels that something must have to be told of, with commas between them; all where it is empty.',
  ),
  labels_to_be_notified_behavior: text('Whether one of these labels is enough, or all must be there.', {
    values: LABEL_MATCHES,
    fallback: 'match_any',
  }),
  recipients: text('Whom it is told to: addresses with blanks between them.'),
  server_host: text('Host of the irker daemon; `localhost` where it is not given.'),
  server_port: { type: 'integer', description: 'Port of the irker daemon; 6659 where it is not given.' },
  default_irc_uri: text('What short recipients begin with.'),
  colorize_messages: flag('Whether messages have colours.'),
  device: text('Device that is told; all where it is not given.'),
  priority: text('From -2, without a sound, to 2, which has to be confirmed.', { values: ['-2', '-1', '0', '1', '2'] }),
  sound: text('Sound that it makes.'),
  user_key: secret('Key of the user that is told; never shown.'),
  send_from_committer_email: flag(
    'Whether answers go to whoever pushed, and mails are from them where their address is one of the domain of the server.',
  ),
  disable_diffs: flag('Whether mails leave out the diffs of what was changed.'),
} as const satisfies Record<string, Field>;

const places = {
  url: address('Address of the server.'),
  api_url: address('Address of its API, where that is another one.'),
  server: address('Address of the server, where it is not the public one.'),
  project_url: address('Address of the project there.'),
  issues_url: address('Address of an issue there; `:id` stands for its key.'),
  new_issue_url: address('Address where an issue is made there.'),
  repository_url: address('Address of the repository there.'),
  workspace_url: address('Address of the workspace there.'),
  bamboo_url: address('Address of the Bamboo server.'),
  drone_url: address('Address of the Drone server.'),
  jenkins_url: address('Address of the Jenkins server.'),
  teamcity_url: address('Address of the TeamCity server.'),
  mock_service_url: address('Address of the server that stands for one.'),
  confluence_url: address('Address of the Confluence workspace.'),
  external_wiki_url: address('Address of the wiki.'),
  subdomain: text('Subdomain there.'),
  enable_ssl_verification: flag('Whether the certificate of the server is checked.', true),
} as const satisfies Record<string, Field>;

const credentials = {
  username: text('User name there.'),
  password: secret('Password there; never shown.'),
  token: secret('Token for it; never shown.'),
  api_key: secret('Key of its API; never shown.'),
  api_token: secret('Token of its API; never shown.'),
} as const satisfies Record<string, Field>;

const builds = {
  build_key: text('Key of the plan that is run.'),
  build_type: text('Id of the build configuration that is run.'),
  project_name: text('Name of the project there.'),
  static_context: flag('Whether statuses of all branches have the same context.'),
  restrict_to_branch: text('Branches whose pushes it is told of, with commas between them; all where it is empty.'),
  datadog_site: text('Site of Datadog; `datadoghq.com` where it is not given.'),
  datadog_service: text('What all data is tagged with as `service`.'),
  datadog_env: text('What all data is tagged with as `env`.'),
  datadog_tags: text('Further tags, `key:value` on a line each.'),
  datadog_ci_visibility: flag('Whether it is told of pipelines and jobs.'),
  archive_trace_events: flag('Whether it is told of logs of jobs that were archived.'),
  diffblue_license_key: secret('Licence key; never shown.'),
  diffblue_access_token_name: text('Name of the access token that pipelines use.'),
  diffblue_access_token_secret: secret('That access token; never shown.'),
} as const satisfies Record<string, Field>;

const jira = {
  jira_auth_type: {
    type: 'integer',
    description: '0 for user name and password, 1 for a token alone.',
    values: [0, 1],
    fallback: 0,
  },
  jira_issue_regex: text('RE2 expression that finds keys of issues; `[A-Z][A-Z_0-9]+-\\d+` where it is not given.'),
  jira_issue_prefix: text('RE2 expression of what stands before keys of issues.'),
  jira_issue_transition_id: text('Ids of the transitions that close an issue, with commas between them.'),
  issues_enabled: text('Whether issues of Jira are shown.'),
  project_keys: { type: 'array', description: 'Keys of the projects whose issues are shown.' },
  vulnerabilities_enabled: flag('Whether issues are made of vulnerabilities.'),
  vulnerabilities_issuetype: text('Id of the type of issue that is made of them.'),
  project_key: text('Key of the project where they are made.'),
  customize_jira_issue_enabled: flag('Whether such an issue can be changed before it is made.'),
  jira_check_enabled: flag(
    'Whether commits that name no issue are refused: kept and shown, pushes are not held to it.',
  ),
  jira_exists_check_enabled: flag('Whether that issue has to exist: kept and shown alone.'),
  jira_assignee_check_enabled: flag('Whether it has to be assigned to the committer: kept and shown alone.'),
  jira_status_check_enabled: flag('Whether it has to have one of the allowed statuses: kept and shown alone.'),
  jira_allowed_statuses_as_string: text('These statuses, with commas between them.'),
  jira_cloud_app_service_ids: text('Ids of services there, with commas between them.'),
  jira_cloud_app_enable_deployment_gating: flag('Whether deployments wait for a change request.'),
  jira_cloud_app_deployment_gating_environments: text('Kinds of environments whose deployments wait.'),
  zentao_product_xid: text('Id of the product there.'),
} as const satisfies Record<string, Field>;

const stores = {
  app_store_issuer_id: text('Issuer id of App Store Connect.'),
  app_store_key_id: text('Id of the key.'),
  app_store_private_key_file_name: text('Name of the file of the key.'),
  app_store_private_key: secret('The key; never shown.'),
  app_store_protected_refs: flag('Whether only jobs on protected refs get it.', true),
  package_name: text('Name of the package of the app.'),
  service_account_key_file_name: text('Name of the file of the key.'),
  service_account_key: secret('Key of the service account, as JSON; never shown.'),
  google_play_protected_refs: flag('Whether only jobs on protected refs get it.', true),
  artifact_registry_project_id: text('Id of the Google Cloud project.'),
  artifact_registry_repositories: text('Name of the repository there.'),
  artifact_registry_location: text('Its location.'),
  workload_identity_federation_project_id: text('Id of the Google Cloud project.'),
  workload_identity_federation_project_number: text('Its number.'),
  workload_identity_pool_id: text('Id of the workload identity pool.'),
  workload_identity_pool_provider_id: text('Id of its provider.'),
} as const satisfies Record<string, Field>;

/** All that can be set up, by name. */
export const FIELDS: Readonly<Record<string, Field>> = {
  ...chat,
  ...channels,
  ...places,
  ...credentials,
  ...builds,
  ...jira,
  ...stores,
};
