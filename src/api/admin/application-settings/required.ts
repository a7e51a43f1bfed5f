import type { SettingName } from '../../../settings/settings-table.ts';

/** Settings that require other settings when they are switched on. */
export const REQUIRED_WITH: Partial<Record<SettingName, readonly SettingName[]>> = {
  akismet_enabled: ['akismet_api_key'],
  asset_proxy_enabled: ['asset_proxy_url'],
  diagramsnet_enabled: ['diagramsnet_url'],
  email_restrictions_enabled: ['email_restrictions'],
  enforce_terms: ['terms'],
  external_authorization_service_enabled: [
    'external_authorization_service_default_label',
    'external_authorization_service_timeout',
    'external_authorization_service_url',
  ],
  gitpod_enabled: ['gitpod_url'],
  kroki_enabled: ['kroki_url'],
  mailgun_events_enabled: ['mailgun_signing_key'],
  plantuml_enabled: ['plantuml_url'],
  recaptcha_enabled: ['recaptcha_private_key', 'recaptcha_site_key'],
  sentry_enabled: ['sentry_dsn'],
  slack_app_enabled: ['slack_app_id', 'slack_app_secret', 'slack_app_signing_secret', 'slack_app_verification_token'],
  snowplow_enabled: ['snowplow_collector_hostname'],
  sourcegraph_enabled: ['sourcegraph_url'],
};
