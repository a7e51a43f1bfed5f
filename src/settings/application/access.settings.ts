import {
  choice,
  choices,
  flag,
  integer,
  keptOnly,
  longText,
  maybeInteger,
  paid,
  secret,
  text,
  texts,
} from './field.ts';

const LEVELS = ['private', 'internal', 'public'] as const;

const key = (name: string) =>
  integer(0, `Minimum bit length of uploaded ${name} keys; 0 allows all, -1 forbids the type.`, {
    min: -1,
    max: 16_384,
  });

/** Defaults of new projects, groups and snippets, and who may create and delete them. */
const places = {
  default_project_visibility: choice(LEVELS, 'private', 'Visibility of new projects unless the request sets one.'),
  default_group_visibility: choice(LEVELS, 'private', 'Visibility of new groups unless the request sets one.'),
  default_snippet_visibility: choice(LEVELS, 'private', 'Visibility of new snippets unless the request sets one.'),
  restricted_visibility_levels: choices(LEVELS, [], 'Visibility levels that only administrators may set.'),
  default_project_creation: integer(
    2,
    'Who may create projects in new groups: 0 nobody, 1 Maintainers, 2 Developers, 3 administrators, 4 Owners.',
    { max: 4 },
  ),
  default_projects_limit: integer(100_000, 'Maximum number of projects in the personal namespace of a new user.'),
  can_create_group: flag(true, 'Whether new users may create top-level groups.'),
  can_create_organization: keptOnly(
    flag(true, 'Whether users may create organizations; this server has a single one.'),
  ),
  top_level_group_creation_enabled: flag(true, 'Whether users who are not administrators may create top-level groups.'),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Whether users whose highest role is Guest may create groups and personal projects.',
  ),
  default_project_deletion_protection: paid('premium', flag(false, 'Whether only administrators may delete projects.')),
  deletion_adjourned_period: integer(
    30,
    'Number of days before deleted groups and projects are removed for good; 0 removes them immediately.',
    { max: 365 },
  ),
  delayed_project_deletion: flag(
    true,
    'Whether deleted projects are kept for `deletion_adjourned_period`; if not, they are removed immediately.',
  ),
  delayed_group_deletion: flag(
    true,
    'Whether deleted groups are kept for `deletion_adjourned_period`; if not, they are removed immediately.',
  ),
  allow_immediate_namespaces_deletion: flag(
    true,
    'Whether groups and projects marked for deletion can be removed immediately.',
  ),
  custom_project_templates_group_id: paid(
    'premium',
    maybeInteger('ID of the group that contains the instance project templates; null for none.', { min: 1 }),
  ),
  disable_invite_members: flag(false, 'Whether only administrators may invite members.'),
  lock_memberships_to_ldap: keptOnly(paid('premium', flag(false, 'Whether memberships come from LDAP only.'))),
  lock_memberships_to_saml: keptOnly(paid('premium', flag(false, 'Whether memberships come from SAML groups only.'))),
  allow_group_owners_to_manage_ldap: keptOnly(
    paid('premium', flag(true, 'Whether Owners may link their groups to LDAP.')),
  ),
  delete_inactive_projects: keptOnly(flag(false, 'Whether inactive projects are deleted.')),
  inactive_projects_delete_after_months: keptOnly(
    integer(2, 'Number of months after which inactive projects are deleted.', { min: 1 }),
  ),
  inactive_projects_min_size_mb: keptOnly(
    integer(0, 'Minimum repository size in MiB of inactive projects that are deleted.'),
  ),
  inactive_projects_send_warning_email_after_months: keptOnly(
    integer(1, 'Number of months after which Maintainers of inactive projects are warned.', {
      min: 1,
    }),
  ),
};

/** Sign-up and defaults of new users. */
const users = {
  signup_enabled: keptOnly(flag(true, 'Whether people may register an account.')),
  require_admin_approval_after_user_signup: keptOnly(
    flag(true, 'Whether registered accounts need the approval of an administrator.'),
  ),
  email_confirmation_setting: keptOnly(
    choice(
      ['off', 'soft', 'hard'],
      'off',
      'Whether new users have to confirm their email address before they sign in.',
    ),
  ),
  send_user_confirmation_email: keptOnly(flag(false, 'Whether new users receive a confirmation email.')),
  user_default_external: flag(false, 'Whether new users are external.'),
  user_default_internal_regex: text(
    null,
    'Regular expression for email addresses of users who are internal although `user_default_external` is set.',
  ),
  user_defaults_to_private_profile: flag(false, 'Whether profiles of new users are private.'),
  default_preferred_language: keptOnly(text('en', 'Default language of users who have not chosen one.', 35)),
  domain_allowlist: texts([], 'Email domains that may be used to sign up; if empty, all domains may.'),
  domain_denylist: texts([], 'Email domains that may not be used to sign up.'),
  domain_denylist_enabled: flag(false, 'Whether `domain_denylist` is enforced.'),
  email_restrictions: text(null, 'Regular expression for email addresses that may not be used to sign up.', 1_000),
  email_restrictions_enabled: flag(false, 'Whether `email_restrictions` is enforced.'),
  updating_name_disabled_for_users: keptOnly(flag(false, 'Whether only administrators may change the names of users.')),
  allow_account_deletion: keptOnly(flag(true, 'Whether users may delete their own accounts.')),
  deactivate_dormant_users: flag(false, 'Whether dormant users are deactivated.'),
  deactivate_dormant_users_period: integer(90, 'Number of days of inactivity after which users count as dormant.', {
    min: 90,
  }),
  user_deactivation_emails_enabled: keptOnly(
    flag(true, 'Whether users receive an email when their account is deactivated.'),
  ),
  delete_unconfirmed_users: keptOnly(paid('premium', flag(false, 'Whether unconfirmed accounts are deleted.'))),
  unconfirmed_users_delete_after_days: keptOnly(
    paid('premium', integer(7, 'Number of days after which unconfirmed accounts are deleted.', { min: 1 })),
  ),
  seat_control: keptOnly(
    paid(
      'premium',
      integer(
        0,
        'What happens when all seats are used: 0 nothing, 1 new users wait for approval, 2 no users are added.',
        { max: 2 },
      ),
    ),
  ),
  new_user_signups_cap: keptOnly(
    maybeInteger('Number of users from which on new accounts need the approval of an administrator.', { min: 1 }),
  ),
  admin_mode: keptOnly(flag(false, 'Whether administrators have to authenticate again for administrative actions.')),
  enforce_terms: keptOnly(flag(false, 'Whether users have to accept `terms`.')),
  terms: keptOnly(longText('Terms of service, as Markdown.')),
  after_sign_up_text: keptOnly(longText('Text shown after sign-up.')),
  after_sign_out_path: keptOnly(text(null, 'URL that users are redirected to after sign-out.')),
  home_page_url: keptOnly(text(null, 'URL that users who are not signed in are redirected to.')),
  sign_in_text: keptOnly(longText('Text on the sign-in page.')),
  abuse_notification_email: keptOnly(text(null, 'Email address that abuse reports are sent to.')),
};

/** Sign-in. */
const signIn = {
  password_authentication_enabled_for_web: keptOnly(flag(true, 'Whether passwords are accepted on the web.')),
  password_authentication_enabled_for_git: flag(true, 'Whether passwords are accepted for git over HTTP.'),
  disable_password_authentication_for_users_with_sso_identities: keptOnly(
    flag(false, 'Whether passwords are refused on the web for users with a single sign-on identity.'),
  ),
  minimum_password_length: integer(8, 'Minimum length of passwords.', { min: 8, max: 128 }),
  password_number_required: paid('premium', flag(false, 'Whether passwords must contain a digit.')),
  password_symbol_required: paid('premium', flag(false, 'Whether passwords must contain a symbol.')),
  password_uppercase_required: paid('premium', flag(false, 'Whether passwords must contain an uppercase letter.')),
  password_lowercase_required: paid('premium', flag(false, 'Whether passwords must contain a lowercase letter.')),
  max_login_attempts: maybeInteger('Number of failed sign-ins after which an account is locked.', { min: 1 }),
  failed_login_attempts_unlock_period_in_minutes: maybeInteger(
    'Number of minutes after which a locked account is unlocked.',
    { min: 1 },
  ),
  require_two_factor_authentication: keptOnly(
    flag(false, 'Whether all users have to set up two-factor authentication.'),
  ),
  require_admin_two_factor_authentication: flag(
    false,
    'Whether administrators need two-factor authentication: they then sign in with tokens instead of a password alone.',
  ),
  two_factor_grace_period: keptOnly(
    integer(48, 'Number of hours that users have to set up two-factor authentication.'),
  ),
  git_two_factor_session_expiry: keptOnly(
    paid(
      'premium',
      integer(15, 'Duration in minutes of git sessions opened with a second factor.', { min: 1, max: 10_080 }),
    ),
  ),
  require_email_verification_on_account_locked: keptOnly(
    flag(false, 'Whether locked accounts are unlocked with a code sent by email.'),
  ),
  notify_on_unknown_sign_in: keptOnly(
    flag(true, 'Whether users receive an email about a sign-in from an unknown IP address.'),
  ),
  remember_me_enabled: keptOnly(flag(true, 'Whether users may stay signed in ("remember me").')),
  session_expire_delay: integer(10_080, 'Duration of a session in minutes.'),
  session_expire_from_init: flag(
    false,
    'Whether sessions expire `session_expire_delay` after sign-in instead of after the last activity.',
  ),
  disabled_oauth_sign_in_sources: keptOnly(texts([], 'Disabled OAuth sign-in sources.')),
  user_oauth_applications: keptOnly(flag(true, 'Whether users may register OAuth applications.')),
  disable_admin_oauth_scopes: flag(
    false,
    'Whether administrators may not grant OAuth applications tokens with the scopes `api`, `read_api`, `read_repository`, `write_repository`, `read_registry`, `write_registry` and `sudo`.',
  ),
  unique_ips_limit_enabled: keptOnly(flag(false, 'Whether the number of IP addresses per user is limited.')),
  unique_ips_limit_per_user: keptOnly(integer(10, 'Maximum number of IP addresses per user.')),
  unique_ips_limit_time_window: keptOnly(
    integer(3_600, 'Number of seconds for which an IP address counts for `unique_ips_limit_per_user`.'),
  ),
  external_authorization_service_enabled: keptOnly(
    flag(false, 'Whether an external service authorizes access to projects.'),
  ),
  external_authorization_service_default_label: keptOnly(
    text(null, 'Classification label of projects that have none.'),
  ),
  external_authorization_service_url: keptOnly(text(null, 'URL of the external authorization service.')),
  external_authorization_service_timeout: keptOnly({
    ...integer(1, 'Timeout in seconds of requests to the external authorization service.', { max: 10 }),
    kind: 'number' as const,
  }),
  external_auth_client_cert: keptOnly(secret('Client certificate for the external authorization service.')),
  external_auth_client_key: keptOnly(
    secret('Private key of the client certificate for the external authorization service.'),
  ),
  external_auth_client_key_pass: keptOnly(
    secret('Passphrase of the private key for the external authorization service.'),
  ),
};

/** Tokens and keys. */
const credentials = {
  personal_access_token_prefix: text('glpat-', 'Prefix of personal access tokens.', 20),
  require_personal_access_token_expiry: flag(true, 'Whether access tokens must have an expiry date.'),
  max_personal_access_token_lifetime: paid(
    'ultimate',
    maybeInteger('Maximum lifetime of access tokens in days; 365 by default.', { min: 1, max: 365 }),
  ),
  disable_personal_access_tokens: paid('premium', flag(false, 'Whether personal access tokens are disabled.')),
  service_access_tokens_expiration_enforced: keptOnly(
    paid('premium', flag(true, 'Whether tokens of service accounts must have an expiry date.')),
  ),
  enforce_pat_expiration: keptOnly(flag(true, 'Whether expired tokens are refused; this server always refuses them.')),
  enforce_ssh_key_expiration: keptOnly(
    flag(true, 'Whether expired SSH keys are refused; this server always refuses them.'),
  ),
  inactive_resource_access_tokens_delete_after_days: keptOnly(
    integer(30, 'Number of days after which users of expired project and group tokens are deleted.', { min: 1 }),
  ),
  disable_feed_token: keptOnly(flag(false, 'Whether feed tokens are disabled.')),
  max_ssh_key_lifetime: paid('ultimate', maybeInteger('Maximum lifetime of SSH keys in days.', { min: 1, max: 365 })),
  rsa_key_restriction: key('RSA'),
  dsa_key_restriction: keptOnly(key('DSA')),
  ecdsa_key_restriction: key('ECDSA'),
  ed25519_key_restriction: key('ED25519'),
  ecdsa_sk_key_restriction: key('ECDSA_SK'),
  ed25519_sk_key_restriction: key('ED25519_SK'),
  authorized_keys_enabled: keptOnly(flag(true, 'Whether SSH keys are written to an `authorized_keys` file.')),
  user_show_add_ssh_key_message: keptOnly(flag(true, 'Whether users without an SSH key are asked to add one.')),
};

export const accessSettings = { ...places, ...users, ...signIn, ...credentials };
