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
  integer(0, `Fewest bits of an ${name} key that is added; 0 takes all, -1 none.`, { min: -1, max: 16_384 });

/** What new projects, groups and snippets are like, and who may make them. */
const places = {
  default_project_visibility: choice(LEVELS, 'private', 'Visibility of projects that are made without one.'),
  default_group_visibility: choice(LEVELS, 'private', 'Visibility of groups that are made without one.'),
  default_snippet_visibility: choice(LEVELS, 'private', 'Visibility of snippets that are made without one.'),
  restricted_visibility_levels: choices(LEVELS, [], 'Visibilities that only administrators give.'),
  default_project_creation: integer(
    2,
    'Who makes projects in new groups: 0 nobody, 1 Maintainers, 2 Developers, 3 administrators, 4 Owners.',
    { max: 4 },
  ),
  default_projects_limit: integer(100_000, 'Projects that a new user may have in the own namespace.'),
  can_create_group: flag(true, 'Whether new users may make groups that stand under no other.'),
  can_create_organization: keptOnly(flag(true, 'Whether users may make organizations, of which there is one here.')),
  top_level_group_creation_enabled: flag(
    true,
    'Whether others than administrators may make groups that stand under no other.',
  ),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Whether users who are no more than Guest anywhere may make groups, and projects of their own.',
  ),
  default_project_deletion_protection: paid('premium', flag(false, 'Whether only administrators delete projects.')),
  deletion_adjourned_period: integer(
    30,
    'Days that deleted groups and projects are kept, marked; 0 removes them at once.',
    { max: 365 },
  ),
  delayed_project_deletion: flag(true, 'Whether projects are kept so long; else they are removed at once.'),
  delayed_group_deletion: flag(true, 'Whether groups are kept so long; else they are removed at once.'),
  allow_immediate_namespaces_deletion: flag(true, 'Whether what is marked for deletion can be removed at once.'),
  custom_project_templates_group_id: paid(
    'premium',
    maybeInteger('Id of the group whose projects are templates for everybody; null for none.', { min: 1 }),
  ),
  disable_invite_members: flag(false, 'Whether only administrators invite members.'),
  lock_memberships_to_ldap: keptOnly(paid('premium', flag(false, 'Whether members come from LDAP alone.'))),
  lock_memberships_to_saml: keptOnly(paid('premium', flag(false, 'Whether members come from SAML groups alone.'))),
  allow_group_owners_to_manage_ldap: keptOnly(paid('premium', flag(true, 'Whether Owners link their groups to LDAP.'))),
  delete_inactive_projects: keptOnly(flag(false, 'Whether projects that nobody uses are deleted.')),
  inactive_projects_delete_after_months: keptOnly(integer(2, 'Months until they are.', { min: 1 })),
  inactive_projects_min_size_mb: keptOnly(integer(0, 'MiB of a repository from which on they are.')),
  inactive_projects_send_warning_email_after_months: keptOnly(
    integer(1, 'Months until their Maintainers are warned.', {
      min: 1,
    }),
  ),
};

/** Who comes in, and as what. */
const users = {
  signup_enabled: keptOnly(flag(true, 'Whether people may make accounts for themselves.')),
  require_admin_approval_after_user_signup: keptOnly(flag(true, 'Whether such accounts wait for an administrator.')),
  email_confirmation_setting: keptOnly(
    choice(['off', 'soft', 'hard'], 'off', 'Whether such accounts confirm their address first.'),
  ),
  send_user_confirmation_email: keptOnly(flag(false, 'Whether a mail asks them to.')),
  user_default_external: flag(false, 'Whether new users are external.'),
  user_default_internal_regex: text(null, 'Expression of the e-mail addresses whose users are internal all the same.'),
  user_defaults_to_private_profile: flag(false, 'Whether profiles of new users are private.'),
  default_preferred_language: keptOnly(text('en', 'Language of those who have not chosen one.', 35)),
  domain_allowlist: texts([], 'Domains of e-mail addresses that may sign up; with none, all may.'),
  domain_denylist: texts([], 'Domains of e-mail addresses that may not sign up.'),
  domain_denylist_enabled: flag(false, 'Whether `domain_denylist` is in force.'),
  email_restrictions: text(null, 'Expression of e-mail addresses that may not sign up.', 1_000),
  email_restrictions_enabled: flag(false, 'Whether `email_restrictions` is in force.'),
  updating_name_disabled_for_users: keptOnly(flag(false, 'Whether only administrators change names of users.')),
  allow_account_deletion: keptOnly(flag(true, 'Whether users may delete their accounts.')),
  deactivate_dormant_users: flag(false, 'Whether users who are not seen for long are deactivated.'),
  deactivate_dormant_users_period: integer(90, 'Days after which they are.', { min: 90 }),
  user_deactivation_emails_enabled: keptOnly(flag(true, 'Whether a mail tells users that they were deactivated.')),
  delete_unconfirmed_users: keptOnly(paid('premium', flag(false, 'Whether accounts go that are not confirmed.'))),
  unconfirmed_users_delete_after_days: keptOnly(paid('premium', integer(7, 'Days until they do.', { min: 1 }))),
  seat_control: keptOnly(
    paid(
      'premium',
      integer(0, 'What happens when all seats are taken: 0 nothing, 1 new users wait, 2 none are added.', { max: 2 }),
    ),
  ),
  new_user_signups_cap: keptOnly(maybeInteger('Users from which on accounts wait for an administrator.', { min: 1 })),
  admin_mode: keptOnly(flag(false, 'Whether administrators sign in anew to act as such.')),
  enforce_terms: keptOnly(flag(false, 'Whether users must accept `terms`.')),
  terms: keptOnly(longText('Terms of use, as Markdown.')),
  after_sign_up_text: keptOnly(longText('Text for those who have signed up.')),
  after_sign_out_path: keptOnly(text(null, 'Where those go who sign out.')),
  home_page_url: keptOnly(text(null, 'Where those go who have not signed in.')),
  sign_in_text: keptOnly(longText('Text beside the form in which one signs in.')),
  abuse_notification_email: keptOnly(text(null, 'Where reports of abuse go.')),
};

/** How they sign in. */
const signIn = {
  password_authentication_enabled_for_web: keptOnly(flag(true, 'Whether passwords are taken on the web.')),
  password_authentication_enabled_for_git: flag(true, 'Whether passwords are taken from git over HTTP.'),
  disable_password_authentication_for_users_with_sso_identities: keptOnly(
    flag(false, 'Whether users of single sign-on give no password on the web.'),
  ),
  minimum_password_length: integer(8, 'Fewest characters of a password.', { min: 8, max: 128 }),
  password_number_required: paid('premium', flag(false, 'Whether passwords must hold a digit.')),
  password_symbol_required: paid('premium', flag(false, 'Whether passwords must hold a symbol.')),
  password_uppercase_required: paid('premium', flag(false, 'Whether passwords must hold a capital letter.')),
  password_lowercase_required: paid('premium', flag(false, 'Whether passwords must hold a small letter.')),
  max_login_attempts: maybeInteger('Wrong passwords in a row that lock an account.', { min: 1 }),
  failed_login_attempts_unlock_period_in_minutes: maybeInteger('Minutes that an account stays locked.', { min: 1 }),
  require_two_factor_authentication: keptOnly(flag(false, 'Whether everybody needs a second factor.')),
  require_admin_two_factor_authentication: flag(
    false,
    'Whether administrators need a second factor: they sign in with tokens then, and not with a password alone.',
  ),
  two_factor_grace_period: keptOnly(integer(48, 'Hours that users have to set one up.')),
  git_two_factor_session_expiry: keptOnly(
    paid('premium', integer(15, 'Minutes that a second factor counts for git.', { min: 1, max: 10_080 })),
  ),
  require_email_verification_on_account_locked: keptOnly(flag(false, 'Whether a locked account is opened by e-mail.')),
  notify_on_unknown_sign_in: keptOnly(flag(true, 'Whether a mail tells of a sign-in from an unknown address.')),
  remember_me_enabled: keptOnly(flag(true, 'Whether one may stay signed in.')),
  session_expire_delay: keptOnly(integer(10_080, 'Minutes of a session.')),
  session_expire_from_init: keptOnly(flag(false, 'Whether they count from its beginning.')),
  disabled_oauth_sign_in_sources: keptOnly(texts([], 'Providers of identities with which nobody signs in.')),
  user_oauth_applications: keptOnly(flag(true, 'Whether users may register applications.')),
  disable_admin_oauth_scopes: flag(
    false,
    'Whether administrators may not give applications tokens of the scopes `api`, `read_api`, `read_repository`, `write_repository`, `read_registry`, `write_registry` and `sudo`.',
  ),
  unique_ips_limit_enabled: keptOnly(flag(false, 'Whether a user may sign in from few addresses only.')),
  unique_ips_limit_per_user: keptOnly(integer(10, 'How many addresses.')),
  unique_ips_limit_time_window: keptOnly(integer(3_600, 'Seconds for which an address counts.')),
  external_authorization_service_enabled: keptOnly(
    flag(false, 'Whether another service decides who reaches projects.'),
  ),
  external_authorization_service_default_label: keptOnly(text(null, 'Label of projects that have none there.')),
  external_authorization_service_url: keptOnly(text(null, 'Address of that service.')),
  external_authorization_service_timeout: keptOnly({
    ...integer(1, 'Seconds to wait for it.', { max: 10 }),
    kind: 'number' as const,
  }),
  external_auth_client_cert: keptOnly(secret('Certificate that it knows the server by.')),
  external_auth_client_key: keptOnly(secret('Private key of that certificate.')),
  external_auth_client_key_pass: keptOnly(secret('Password of that key.')),
};

/** Tokens and keys. */
const credentials = {
  personal_access_token_prefix: text('glpat-', 'What personal access tokens begin with.', 20),
  require_personal_access_token_expiry: flag(true, 'Whether access tokens must have a last day.'),
  max_personal_access_token_lifetime: paid(
    'ultimate',
    maybeInteger('Days that access tokens may last; 365 unless set.', { min: 1, max: 365 }),
  ),
  disable_personal_access_tokens: paid('premium', flag(false, 'Whether nobody may use personal access tokens.')),
  service_access_tokens_expiration_enforced: keptOnly(
    paid('premium', flag(true, 'Whether tokens of service accounts must have a last day.')),
  ),
  enforce_pat_expiration: keptOnly(flag(true, 'Whether tokens end on their last day; here they always do.')),
  enforce_ssh_key_expiration: keptOnly(flag(true, 'Whether SSH keys end on their last day; here they always do.')),
  inactive_resource_access_tokens_delete_after_days: keptOnly(
    integer(30, 'Days that users of project and group tokens outlive their tokens.', { min: 1 }),
  ),
  disable_feed_token: keptOnly(flag(false, 'Whether nobody reads feeds by a token.')),
  max_ssh_key_lifetime: paid('ultimate', maybeInteger('Days that SSH keys may last.', { min: 1, max: 365 })),
  rsa_key_restriction: key('RSA'),
  dsa_key_restriction: keptOnly(key('DSA')),
  ecdsa_key_restriction: key('ECDSA'),
  ed25519_key_restriction: key('ED25519'),
  ecdsa_sk_key_restriction: key('ECDSA_SK'),
  ed25519_sk_key_restriction: key('ED25519_SK'),
  authorized_keys_enabled: keptOnly(flag(true, 'Whether SSH keys are written into a file of OpenSSH.')),
  user_show_add_ssh_key_message: keptOnly(flag(true, 'Whether users without an SSH key are told so.')),
};

export const accessSettings = { ...places, ...users, ...signIn, ...credentials };
