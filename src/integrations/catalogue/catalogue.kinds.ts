import type { Flag } from './catalogue.flags.ts';
import { CHANNELS } from './fields.ts';

/** A kind of integration: its fields and its events. */
export interface IntegrationKind {
  /** Name in API paths. */
  slug: string;
  title: string;
  /** Names of its fields, described by `FIELDS`. */
  fields: readonly string[];
  required: readonly string[];
  /** Flags that it supports. */
  flags: readonly Flag[];
  /** Flags that are on by default, besides those of every kind. */
  on: readonly Flag[];
  /** Whether it is for projects only, not for groups. */
  onlyProjects: boolean;
  /** Whether it is set up by another program, not by the API. */
  elsewhere: boolean;
  /** Whether its channels are URLs, which are never shown. */
  hidesChannels: boolean;
}

type More = Partial<Pick<IntegrationKind, 'on' | 'onlyProjects' | 'elsewhere' | 'hidesChannels'>>;

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** @param fields names, with a star after required ones @param flags without `_events` */
function kind(slug: string, title: string, fields: string, flags = '', more: More = {}): IntegrationKind {
  const named = words(fields);
  return {
    slug,
    title,
    fields: named.map((name) => name.replace('*', '')),
    required: named.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
    flags: words(flags).map((name) => (name.endsWith('enabled') ? name : `${name}_events`) as Flag),
    on: [],
    onlyProjects: false,
    elsewhere: false,
    hidesChannels: false,
    ...more,
  };
}

const CHAT =
  'push issues confidential_issues merge_requests note confidential_note tag_push pipeline wiki_page work_item confidential_work_item';
const PIPELINES = 'notify_only_broken_pipelines notify_only_when_pipeline_status_changes branches_to_be_notified';
const LABELS = 'labels_to_be_notified labels_to_be_notified_behavior';
const CHAN = CHANNELS.join(' ');
const TRACKER = 'project_url* issues_url* new_issue_url*';
const LINKS = 'project_url* issues_url*';
const PUSHES = 'push merge_requests tag_push';

const KINDS: readonly IntegrationKind[] = [
  kind(
    'apple-app-store',
    'Apple App Store Connect',
    'app_store_issuer_id* app_store_key_id* app_store_private_key_file_name* app_store_private_key* app_store_protected_refs',
    '',
    { onlyProjects: true },
  ),
  kind('asana', 'Asana', 'api_key* restrict_to_branch', 'push'),
  kind('assembla', 'Assembla', 'token* subdomain', 'push'),
  kind('bamboo', 'Atlassian Bamboo', 'enable_ssl_verification bamboo_url* build_key* username* password*', 'push'),
  kind('bugzilla', 'Bugzilla', TRACKER, 'push'),
  kind('buildkite', 'Buildkite', 'project_url* token* enable_ssl_verification', PUSHES),
  kind('campfire', 'Campfire', 'token* subdomain room', 'push'),
  kind('clickup', 'ClickUp', LINKS, 'push'),
  kind('confluence', 'Confluence Workspace', 'confluence_url*'),
  kind('custom-issue-tracker', 'Custom issue tracker', TRACKER, 'push'),
  kind(
    'datadog',
    'Datadog',
    'datadog_site api_url api_key* datadog_ci_visibility archive_trace_events datadog_service datadog_env datadog_tags',
    'pipeline build push merge_requests note tag_push subgroup project',
    { on: ['pipeline_events', 'job_events'] },
  ),
  kind(
    'diffblue-cover',
    'Diffblue Cover',
    'diffblue_license_key* diffblue_access_token_name* diffblue_access_token_secret*',
  ),
  kind('discord', 'Discord Notifications', `webhook* ${PIPELINES} ${CHAN}`, `deployment ${CHAT}`, {
    hidesChannels: true,
  }),
  kind('drone-ci', 'Drone', 'enable_ssl_verification drone_url* token*', PUSHES),
  kind(
    'emails-on-push',
    'Emails on push',
    'send_from_committer_email disable_diffs branches_to_be_notified recipients*',
    'push tag_push',
  ),
  kind('ewm', 'EWM', TRACKER, 'push'),
  kind('external-wiki', 'External wiki', 'external_wiki_url*'),
  kind('git-guardian', 'GitGuardian', 'token*'),
  kind('github', 'GitHub', 'token* repository_url* static_context', 'pipeline', { on: ['pipeline_events'] }),
  kind(
    'gitlab-slack-application',
    'GitLab for Slack app',
    `channel ${PIPELINES} ${LABELS} ${CHAN}`,
    `deployment incident vulnerability alert ${CHAT}`,
    { elsewhere: true },
  ),
  kind(
    'google-cloud-platform-artifact-registry',
    'Google Artifact Management',
    'artifact_registry_project_id* artifact_registry_repositories* artifact_registry_location*',
  ),
  kind(
    'google-cloud-platform-workload-identity-federation',
    'Google Cloud IAM',
    'workload_identity_federation_project_id* workload_identity_federation_project_number* workload_identity_pool_id* workload_identity_pool_provider_id*',
  ),
  kind(
    'google-play',
    'Google Play',
    'package_name* service_account_key_file_name* service_account_key* google_play_protected_refs',
    '',
    { onlyProjects: true },
  ),
  kind('hangouts-chat', 'Google Chat', `webhook* ${PIPELINES}`, CHAT),
  kind('harbor', 'Harbor', 'url* project_name* username* password*'),
  kind('irker', 'irker (IRC gateway)', 'server_host server_port default_irc_uri recipients* colorize_messages', 'push'),
  kind('jenkins', 'Jenkins', 'enable_ssl_verification jenkins_url* project_name* username password', PUSHES, {
    onlyProjects: true,
  }),
  kind(
    'jira',
    'Jira issues',
    'url* api_url jira_auth_type username password* jira_issue_regex jira_issue_prefix jira_issue_transition_id issues_enabled project_keys vulnerabilities_enabled vulnerabilities_issuetype project_key customize_jira_issue_enabled jira_check_enabled jira_exists_check_enabled jira_assignee_check_enabled jira_status_check_enabled jira_allowed_statuses_as_string',
    'comment_on_event_enabled commit merge_requests',
  ),
  kind(
    'jira-cloud-app',
    'GitLab for Jira Cloud app',
    'jira_cloud_app_service_ids jira_cloud_app_enable_deployment_gating jira_cloud_app_deployment_gating_environments',
    '',
    { elsewhere: true },
  ),
  kind('linear', 'Linear', 'workspace_url*', 'push'),
  kind('matrix', 'Matrix notifications', `hostname token* room* ${PIPELINES}`, `incident vulnerability ${CHAT}`),
  kind(
    'mattermost',
    'Mattermost notifications',
    `webhook* username channel ${PIPELINES} ${LABELS} ${CHAN}`,
    `deployment incident vulnerability ${CHAT}`,
  ),
  kind('mattermost-slash-commands', 'Mattermost slash commands', 'token*'),
  kind('microsoft-teams', 'Microsoft Teams notifications', `webhook* ${PIPELINES}`, CHAT),
  kind('mock-ci', 'MockCI', 'enable_ssl_verification mock_service_url*', 'push'),
  kind('mock-monitoring', 'MockMonitoring', ''),
  kind('packagist', 'Packagist', 'username* token* server', PUSHES),
  kind('phorge', 'Phorge', LINKS, 'push'),
  kind('pipelines-email', 'Pipeline status emails', `recipients* ${PIPELINES} notify_only_default_branch`, 'pipeline', {
    on: ['pipeline_events'],
  }),
  kind('pivotaltracker', 'Pivotal Tracker', 'token* restrict_to_branch', 'push'),
  kind('pumble', 'Pumble', `webhook* ${PIPELINES}`, CHAT),
  kind('pushover', 'Pushover', 'api_key* user_key* device priority* sound', 'push'),
  kind('redmine', 'Redmine', TRACKER, 'push'),
  kind(
    'slack',
    'Slack notifications',
    `webhook* username channel ${PIPELINES} ${LABELS} ${CHAN}`,
    `deployment incident vulnerability alert ${CHAT}`,
  ),
  kind('slack-slash-commands', 'Slack slash commands', 'token*'),
  kind('squash-tm', 'Squash TM', 'url* token', 'issues confidential_issues'),
  kind(
    'teamcity',
    'JetBrains TeamCity',
    'enable_ssl_verification teamcity_url* build_type* username* password*',
    'push merge_requests',
  ),
  kind('telegram', 'Telegram', `hostname token* room* thread ${PIPELINES}`, `incident vulnerability ${CHAT}`),
  kind('unify-circuit', 'Unify Circuit', `webhook* ${PIPELINES}`, CHAT),
  kind('webex-teams', 'Webex Teams', `webhook* ${PIPELINES}`, CHAT),
  kind('youtrack', 'YouTrack', LINKS, 'push'),
  kind('zentao', 'ZenTao', 'url* api_url api_token* zentao_product_xid*'),
];

const BY_SLUG: ReadonlyMap<string, IntegrationKind> = new Map(KINDS.map((each) => [each.slug, each]));

/** All kinds, by slug (part 2, section 4.2). */
export const INTEGRATION_KINDS: readonly IntegrationKind[] = KINDS;

/** Finds a kind by its slug. */
export const kindOf = (slug: string): IntegrationKind | undefined => BY_SLUG.get(slug);
