import {
  addresses,
  choice,
  flag,
  integer,
  integers,
  keptOnly,
  longText,
  paid,
  type Setting,
  secret,
  text,
  texts,
} from './field.ts';

const search = {
  elasticsearch_indexing: keptOnly(flag(false, 'Whether Elasticsearch indexing is enabled.')),
  elasticsearch_search: keptOnly(flag(false, 'Whether Elasticsearch is used for search.')),
  elasticsearch_pause_indexing: keptOnly(flag(false, 'Whether Elasticsearch indexing is paused.')),
  elasticsearch_url: keptOnly(addresses('http://localhost:9200', 'URLs of Elasticsearch.', 1_000)),
  elasticsearch_username: keptOnly(text(null, 'Username for Elasticsearch.')),
  elasticsearch_password: keptOnly(secret('Password for Elasticsearch.')),
  elasticsearch_prefix: keptOnly(text('gitlab', 'Prefix of Elasticsearch index names.', 100)),
  elasticsearch_aws: keptOnly(flag(false, 'Whether Elasticsearch is hosted by AWS.')),
  elasticsearch_aws_region: keptOnly(text('us-east-1', 'AWS region of Elasticsearch.')),
  elasticsearch_aws_access_key: keptOnly(secret('AWS access key for Elasticsearch.')),
  elasticsearch_aws_secret_access_key: keptOnly(secret('AWS secret access key for Elasticsearch.')),
  elasticsearch_client_adapter: keptOnly(
    choice(['typhoeus', 'net_http'], 'typhoeus', 'Client adapter for Elasticsearch.'),
  ),
  elasticsearch_client_request_timeout: keptOnly(
    integer(0, "Timeout in seconds of Elasticsearch requests; 0 uses the client's default."),
  ),
  elasticsearch_indexed_field_length_limit: keptOnly(
    integer(0, 'Maximum number of indexed characters of a text field; 0 is unlimited.'),
  ),
  elasticsearch_indexed_file_size_limit_kb: keptOnly(
    integer(1_024, 'Maximum size in KiB of an indexed file.', { min: 1 }),
  ),
  elasticsearch_limit_indexing: keptOnly(
    flag(false, 'Whether indexing is limited to certain namespaces and projects.'),
  ),
  elasticsearch_namespace_ids: keptOnly(integers('IDs of the indexed namespaces.')),
  elasticsearch_project_ids: keptOnly(integers('IDs of the indexed projects.')),
  elasticsearch_max_bulk_concurrency: keptOnly(
    integer(10, 'Maximum number of concurrent Elasticsearch bulk requests.', { min: 1 }),
  ),
  elasticsearch_max_bulk_size_mb: keptOnly(
    integer(10, 'Maximum size of an Elasticsearch bulk request in MiB.', { min: 1 }),
  ),
  elasticsearch_max_code_indexing_concurrency: keptOnly(
    integer(30, 'Maximum number of concurrent code indexing jobs.'),
  ),
  elasticsearch_requeue_workers: keptOnly(
    flag(false, 'Whether indexing jobs are enqueued again until nothing is left.'),
  ),
  elasticsearch_retry_on_failure: keptOnly(integer(0, 'Number of retries of a failed search.')),
  elasticsearch_worker_number_of_shards: keptOnly(integer(2, 'Number of shards of the indexing queue.', { min: 1 })),
  elasticsearch_shards: keptOnly(integer(5, 'Number of shards of an Elasticsearch index.', { min: 1 })),
  elasticsearch_replicas: keptOnly(integer(1, 'Number of replicas of an Elasticsearch index.')),
  elasticsearch_analyzers_kuromoji_enabled: keptOnly(
    flag(false, 'Whether the Kuromoji analyzer for Japanese is used for indexing.'),
  ),
  elasticsearch_analyzers_kuromoji_search: keptOnly(
    flag(false, 'Whether the Kuromoji analyzer for Japanese is used for search.'),
  ),
  elasticsearch_analyzers_smartcn_enabled: keptOnly(
    flag(false, 'Whether the smartcn analyzer for Chinese is used for indexing.'),
  ),
  elasticsearch_analyzers_smartcn_search: keptOnly(
    flag(false, 'Whether the smartcn analyzer for Chinese is used for search.'),
  ),
};

const searchSettings = Object.fromEntries(
  Object.entries(search).map(([name, setting]) => [name, paid('premium', setting as Setting<unknown>)]),
) as typeof search;

const FORMATS = { bpmn: false, blockdiag: false, excalidraw: false };

const integrations = {
  akismet_enabled: keptOnly(flag(false, 'Whether Akismet spam detection is enabled.')),
  akismet_api_key: keptOnly(secret('API key for Akismet.')),
  allow_all_integrations: paid('ultimate', flag(true, 'Whether all integrations are allowed.')),
  allowed_integrations: paid('ultimate', texts([], 'Allowed integrations, if `allow_all_integrations` is off.')),
  asset_proxy_enabled: keptOnly(flag(false, 'Whether images of other servers are served through an asset proxy.')),
  asset_proxy_url: keptOnly(text(null, 'URL of the asset proxy.')),
  asset_proxy_allowlist: keptOnly(texts([], 'Domains whose images are not proxied.')),
  asset_proxy_secret_key: keptOnly(secret('Shared secret of the asset proxy.')),
  diagramsnet_enabled: keptOnly(flag(true, 'Whether diagrams.net is enabled.')),
  diagramsnet_url: keptOnly(text('https://embed.diagrams.net', 'URL of diagrams.net.', 2_048)),
  plantuml_enabled: keptOnly(flag(false, 'Whether PlantUML is enabled.')),
  plantuml_url: keptOnly(text(null, 'URL of PlantUML.', 2_048)),
  kroki_enabled: keptOnly(flag(false, 'Whether Kroki is enabled.')),
  kroki_url: keptOnly(text(null, 'URL of Kroki.', 2_048)),
  kroki_formats: keptOnly<Readonly<Record<string, boolean>>>({
    kind: 'flags',
    default: FORMATS,
    description: 'Additional diagram formats of Kroki.',
    nullable: false,
  }),
  web_ide_clientside_preview_enabled: keptOnly(flag(false, 'Whether live preview in the Web IDE is enabled.')),
  gitpod_enabled: keptOnly(flag(false, 'Whether the Ona integration is enabled.')),
  gitpod_url: keptOnly(text('https://gitpod.io/', 'URL of Ona.')),
  sourcegraph_enabled: keptOnly(flag(false, 'Whether the Sourcegraph integration is enabled.')),
  sourcegraph_public_only: keptOnly(flag(true, 'Whether Sourcegraph is enabled for public projects only.')),
  sourcegraph_url: keptOnly(text(null, 'URL of Sourcegraph.')),
  eks_integration_enabled: keptOnly(flag(false, 'Whether Amazon EKS clusters can be created.')),
  eks_account_id: keptOnly(text(null, 'AWS account ID for Amazon EKS.', 12)),
  eks_access_key_id: keptOnly(secret('AWS access key ID for Amazon EKS.')),
  eks_secret_access_key: keptOnly(secret('AWS secret access key for Amazon EKS.')),
  jira_connect_application_key: keptOnly(text(null, 'Application ID for Jira Cloud.')),
  jira_connect_public_key_storage_enabled: keptOnly(
    flag(false, 'Whether the public keys of the Jira Cloud app are stored here.'),
  ),
  jira_connect_proxy_url: keptOnly(text(null, 'URL of the proxy in front of this server for Jira Cloud.')),
  jira_connect_additional_audience_url: keptOnly(text(null, 'Additional audience of tokens of Jira Cloud.')),
  slack_app_enabled: keptOnly(flag(false, 'Whether the Slack app is enabled.')),
  slack_app_id: keptOnly(text(null, 'Client ID of the Slack app.')),
  slack_app_secret: keptOnly(secret('Client secret of the Slack app.')),
  slack_app_signing_secret: keptOnly(secret('Signing secret of the Slack app.')),
  slack_app_verification_token: keptOnly(secret('Verification token of the Slack app.')),
  mailgun_events_enabled: keptOnly(flag(false, 'Whether Mailgun events are received.')),
  mailgun_signing_key: keptOnly(secret('Signing key of Mailgun events.')),
  spam_check_endpoint_enabled: keptOnly(flag(false, 'Whether an external spam check service is used.')),
  spam_check_endpoint_url: keptOnly(text(null, 'URL of the spam check service.')),
  spam_check_api_key: keptOnly(secret('API key of the spam check service.')),
  recaptcha_enabled: keptOnly(flag(false, 'Whether reCAPTCHA is enabled.')),
  login_recaptcha_protection_enabled: keptOnly(flag(false, 'Whether reCAPTCHA is required at sign-in.')),
  recaptcha_site_key: keptOnly(text(null, 'Site key of reCAPTCHA.')),
  recaptcha_private_key: keptOnly(secret('Private key of reCAPTCHA.')),
  invisible_captcha_enabled: keptOnly(flag(false, 'Whether an invisible sign-up field detects bots.')),
  sentry_enabled: keptOnly(flag(false, 'Whether errors are reported to Sentry.')),
  sentry_dsn: keptOnly(secret('Sentry DSN of the server.')),
  sentry_clientside_dsn: keptOnly(text(null, 'Sentry DSN of browsers.')),
  sentry_environment: keptOnly(text(null, 'Sentry environment of this server.')),
  snowplow_enabled: keptOnly(flag(false, 'Whether Snowplow tracking is enabled.')),
  snowplow_app_id: keptOnly(text(null, 'Snowplow application ID of this server.')),
  snowplow_collector_hostname: keptOnly(text(null, 'Host name of the Snowplow collector.')),
  snowplow_database_collector_hostname: keptOnly(
    text(null, 'Host name of the Snowplow collector for database changes.'),
  ),
  snowplow_cookie_domain: keptOnly(text(null, 'Cookie domain of Snowplow.')),
  grafana_enabled: keptOnly(flag(false, 'Whether the link to Grafana is enabled.')),
  grafana_url: keptOnly(text('/-/grafana', 'URL of Grafana.')),
  gravatar_enabled: keptOnly(flag(true, 'Whether avatars come from Gravatar.')),
  vscode_extension_marketplace: keptOnly<Readonly<Record<string, unknown>>>({
    kind: 'object',
    default: {},
    description: 'Extension marketplace of the Web IDE.',
    nullable: false,
  }),
  sign_in_restrictions: keptOnly<Readonly<Record<string, unknown>>>({
    kind: 'object',
    default: {},
    description: 'Additional settings for sign-in restrictions.',
    nullable: false,
  }),
};

const pages = {
  first_day_of_week: keptOnly(
    integer(0, 'First day of the week in calendars: 0 Sunday, 1 Monday, 6 Saturday.', { max: 6 }),
  ),
  default_syntax_highlighting_theme: keptOnly(
    integer(1, 'Syntax highlighting theme of users who have not chosen one.', {
      min: 1,
      max: 100,
    }),
  ),
  default_dark_syntax_highlighting_theme: keptOnly(
    integer(2, 'Syntax highlighting theme in dark mode of users who have not chosen one.', { min: 1, max: 100 }),
  ),
  email_additional_text: paid('premium', longText('Additional text at the end of every email.')),
  email_author_in_body: flag(false, 'Whether the author is named in the body of emails.'),
  html_emails_enabled: flag(true, 'Whether emails have an HTML part.'),
  help_page_text: keptOnly(longText('Text on the help page.')),
  help_page_support_url: keptOnly(text(null, 'URL of the support page.')),
  help_page_documentation_base_url: keptOnly(text(null, 'Base URL of the documentation.')),
  help_page_hide_commercial_content: keptOnly(flag(false, 'Whether marketing entries are hidden from the help page.')),
  help_text: keptOnly(paid('premium', longText('Text shown beside the help page.'))),
  in_product_marketing_emails_enabled: keptOnly(
    flag(false, 'Whether emails advertise further features; this server never does.'),
  ),
  hide_third_party_offers: keptOnly(flag(false, 'Whether third-party offers are hidden.')),
  whats_new_variant: keptOnly(
    choice(['all_tiers', 'current_tier', 'disabled'], 'all_tiers', 'Editions whose release news are shown.'),
  ),
  security_txt_content: keptOnly(longText('Contact for security reports, for `/.well-known/security.txt`.')),
  floc_enabled: keptOnly(flag(false, 'Whether browsers may use pages for interest cohorts (FLoC).')),
  anonymous_searches_allowed: keptOnly(flag(true, 'Whether global search requires sign-in.')),
};

const server = {
  prometheus_metrics_enabled: keptOnly(flag(true, 'Whether Prometheus metrics are enabled.')),
  metrics_method_call_threshold: keptOnly(integer(10, 'Minimum duration in milliseconds of measured method calls.')),
  performance_bar_allowed_group_path: keptOnly(text(null, 'Path of the group that may use the performance bar.')),
  usage_ping_enabled: keptOnly(flag(false, 'Whether usage statistics are sent to the makers.')),
  usage_ping_features_enabled: keptOnly(flag(false, 'Whether sending usage statistics unlocks additional features.')),
  include_optional_metrics_in_service_ping: keptOnly(
    flag(false, 'Whether optional metrics are part of the usage statistics.'),
  ),
  pseudonymizer_enabled: keptOnly(flag(false, 'Whether anonymized usage data is exported.')),
  version_check_enabled: keptOnly(flag(false, 'Whether new versions are looked up on the public server.')),
  gitlab_dedicated_instance: keptOnly(flag(false, 'Whether this server is operated by the makers.')),
  gitlab_environment_toolkit_instance: keptOnly(
    flag(false, 'Whether this server was set up by the environment toolkit.'),
  ),
  sidekiq_job_limiter_mode: keptOnly(
    choice(['track', 'compress'], 'compress', 'How large background jobs are handled.'),
  ),
  sidekiq_job_limiter_compression_threshold_bytes: keptOnly(
    integer(100_000, 'Size in bytes from which on background jobs are compressed.', {
      min: 1,
    }),
  ),
  sidekiq_job_limiter_limit_bytes: keptOnly(
    integer(0, 'Size in bytes from which on background jobs are refused; 0 is unlimited.'),
  ),
  resource_usage_limits: keptOnly<Readonly<Record<string, unknown>>>({
    kind: 'object',
    default: {},
    description: 'Rate limits of background workers.',
    nullable: false,
  }),
  globally_allowed_ips: keptOnly(text('', 'IP addresses and networks that are exempt from IP restrictions.')),
  geo_node_allowed_ips: keptOnly(paid('premium', text('0.0.0.0/0, ::/0', 'IP addresses and networks of Geo sites.'))),
  geo_status_timeout: keptOnly(
    paid('premium', integer(10, 'Timeout in seconds of requests for the status of Geo sites.', { min: 1 })),
  ),
  check_namespace_plan: keptOnly(paid('premium', flag(false, 'Whether each namespace has its own plan.'))),
  enforce_namespace_storage_limit: keptOnly(flag(false, 'Whether the storage limits of plans apply to namespaces.')),
  automatic_purchased_storage_allocation: keptOnly(
    flag(false, 'Whether purchased storage is allocated automatically.'),
  ),
  secret_detection_token_revocation_enabled: keptOnly(
    paid('ultimate', flag(false, 'Whether leaked tokens are reported to a revocation service.')),
  ),
  secret_detection_token_revocation_url: keptOnly(paid('ultimate', text(null, 'URL of the token revocation service.'))),
  secret_detection_token_revocation_token: keptOnly(
    paid('ultimate', secret('Token for the token revocation service.')),
  ),
  secret_detection_revocation_token_types_url: keptOnly(
    paid('ultimate', text(null, 'URL of the list of token types that the revocation service accepts.')),
  ),
  secret_push_protection_available: keptOnly(
    paid('ultimate', flag(false, 'Whether projects may enable secret push protection.')),
  ),
  security_policy_global_group_approvers_enabled: keptOnly(
    paid('ultimate', flag(true, 'Whether security policies may name any group as approver.')),
  ),
  security_approval_policies_limit: keptOnly(
    paid('ultimate', integer(5, 'Maximum number of approval policies in a policy project.', { max: 20 })),
  ),
  scan_execution_policies_action_limit: keptOnly(
    paid('ultimate', integer(0, 'Maximum number of actions in a scan execution policy; 0 is unlimited.', { max: 20 })),
  ),
  scan_execution_policies_schedule_limit: keptOnly(
    paid(
      'ultimate',
      integer(0, 'Maximum number of schedules in a scan execution policy; 0 is unlimited.', { max: 20 }),
    ),
  ),
  use_clickhouse_for_analytics: keptOnly(paid('premium', flag(false, 'Whether analytics reports use ClickHouse.'))),
  duo_features_enabled: paid('premium', flag(true, 'Whether Duo features are enabled.')),
  lock_duo_features_enabled: paid('premium', flag(false, 'Whether groups cannot change `duo_features_enabled`.')),
  model_prompt_cache_enabled: keptOnly(flag(true, 'Whether prompts of Duo may be cached.')),
  lock_model_prompt_cache_enabled: keptOnly(flag(false, 'Whether groups cannot change `model_prompt_cache_enabled`.')),
  enforce_pipl_compliance: keptOnly(flag(false, 'Whether PIPL compliance is enforced.')),
};

export const serviceSettings = { ...searchSettings, ...integrations, ...pages, ...server };
