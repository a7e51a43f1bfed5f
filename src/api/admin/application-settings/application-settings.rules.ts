import { parseDuration } from '../../../ci/ci.durations.ts';
import { compilePattern } from '../../../ci/expressions/expressions.pattern.ts';
import { type FieldErrors, invalidModel, invalidParameter } from '../../../core/core.errors.ts';
import { isValidBranchName } from '../../../git/common/index.ts';
import type { Setting } from '../../../settings/application/field.ts';
import type { ChangedSettings } from '../../../settings/application-settings.ts';
import { type AllSettings, type SettingName, settingOf } from '../../../settings/settings-table.ts';
import { REQUIRED_WITH } from './required.ts';

/** Checks a value against the bounds of its setting; returns the errors. */
function boundErrors({ kind, minimum, maximum, nullable }: Setting<unknown>, value: unknown): string[] {
  if (value === null) return nullable ? [] : ["can't be blank"];
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) return [`must be greater than or equal to ${minimum}`];
    if (maximum !== undefined && value > maximum) return [`must be less than or equal to ${maximum}`];
  } else if (maximum !== undefined && typeof value === 'string' && [...value].length > maximum) {
    return [`is too long (maximum is ${maximum} characters)`];
  } else if (maximum !== undefined && Array.isArray(value) && value.length > maximum) {
    return [`is too long (maximum entries is ${maximum})`];
  } else if (kind === 'object' && JSON.stringify(value).length > MAX_JSON) return ['is too long'];
  return [];
}

const MAX_JSON = 10_000;
const KEY_SIZES: Readonly<Record<string, readonly number[]>> = {
  rsa: [1_024, 2_048, 3_072, 4_096],
  dsa: [1_024, 2_048, 3_072],
  ecdsa: [256, 384, 521],
  ed25519: [256],
  ecdsa_sk: [256],
  ed25519_sk: [256],
};

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const webAddress = (value: unknown): string[] =>
  typeof value !== 'string' || value === '' || isWebAddress(value)
    ? []
    : ['is blocked: Only allowed schemes are http, https'];
const expression = (value: unknown): string[] => {
  if (typeof value !== 'string' || compilePattern(value, 'i') !== null) return [];
  return ['is not a valid regular expression'];
};
const email = (value: unknown): string[] =>
  typeof value !== 'string' || value === '' || /^[^@\s]+@[^@\s]+$/.test(value) ? [] : ['is invalid'];
const duration = (value: unknown): string[] =>
  typeof value !== 'string' || value === '' || value === '0' || parseDuration(value) !== null
    ? []
    : ['is not a correct duration'];
const domains = (value: unknown): string[] =>
  (value as string[]).every((domain) => /^[\w*.-]{1,255}$/.test(domain)) ? [] : ['unknown domain'];
function hosts(value: unknown): string[] {
  const entries = value as string[];
  if (entries.some((entry) => entry.length > 255)) return ['entries cannot be larger than 255 characters'];
  return entries.some((entry) => /[^\x21-\x7e]/.test(entry)) ? ['unicode domains should use IDNA encoding'] : [];
}
const oneOf =
  (...values: number[]) =>
  (value: unknown) =>
    values.includes(value as number) ? [] : ['is not included in the list'];
const keySize = (kind: string) => (value: unknown) =>
  value === 0 || value === -1 || KEY_SIZES[kind]!.includes(value as number)
    ? []
    : [`must be forbidden, allowed, or one of these sizes: ${KEY_SIZES[kind]!.join(', ')}`];

/** Rules of single settings beyond their bounds. */
const RULES: Partial<Record<SettingName, (value: unknown) => string[]>> = {
  abuse_notification_email: email,
  archive_builds_in_human_readable: duration,
  ci_delete_pipelines_in_seconds_limit_human_readable: duration,
  default_artifacts_expire_in: duration,
  default_branch_name: (value) =>
    typeof value !== 'string' || value === '' || isValidBranchName(value) ? [] : ['is not a valid branch name'],
  default_ci_config_path: (value) =>
    typeof value === 'string' && value.split('/').includes('..') ? ["can't include traversal sequences (../)"] : [],
  domain_allowlist: domains,
  domain_denylist: domains,
  email_restrictions: expression,
  first_day_of_week: oneOf(0, 1, 6),
  custom_http_clone_url_root: webAddress,
  help_page_support_url: webAddress,
  help_page_documentation_base_url: webAddress,
  home_page_url: webAddress,
  kroki_url: webAddress,
  plantuml_url: webAddress,
  sourcegraph_url: webAddress,
  outbound_local_requests_whitelist: hosts,
  personal_access_token_prefix: (value) =>
    typeof value !== 'string' || /^[A-Za-z0-9_+=/@:.-]*$/.test(value)
      ? []
      : ["can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'"],
  user_default_internal_regex: expression,
  rsa_key_restriction: keySize('rsa'),
  dsa_key_restriction: keySize('dsa'),
  ecdsa_key_restriction: keySize('ecdsa'),
  ed25519_key_restriction: keySize('ed25519'),
  ecdsa_sk_key_restriction: keySize('ecdsa_sk'),
  ed25519_sk_key_restriction: keySize('ed25519_sk'),
};

function weightErrors(weights: Readonly<Record<string, number>>, storages: readonly { name: string }[]): string[] {
  const unknown = Object.keys(weights).filter((name) => !storages.some((storage) => storage.name === name));
  if (unknown.length > 0) return [`can't include: ${unknown.join(', ')}`];
  const wrong = Object.entries(weights).filter(([, weight]) => weight < 0 || weight > 100);
  if (wrong.length > 0) return wrong.map(([name]) => `value for '${name}' must be between 0 and 100`);
  return Object.values(weights).some((weight) => weight > 0) ? [] : ['must leave a storage for new repositories'];
}

/**
 * Validates changes of settings.
 * @param after all settings as they would be after the change
 * @throws ApiError 400: `error` if a required setting is missing, else the errors by setting
 */
export function checkSettings(
  changes: ChangedSettings,
  after: AllSettings,
  storages: readonly { name: string }[],
): void {
  const input = Object.keys(changes) as SettingName[];
  for (const name of input) {
    if (changes[name] !== true) continue;
    const missing = (REQUIRED_WITH[name] ?? []).filter((needed) => after[needed] === null || after[needed] === '');
    if (missing.length > 0) throw invalidParameter(missing.map((needed) => `${needed} is missing`).join(', '));
  }
  const errors: FieldErrors = {};
  for (const name of input) {
    const bounds = boundErrors(settingOf(name), changes[name]);
    const texts = bounds.length > 0 ? bounds : (RULES[name]?.(changes[name]) ?? []);
    if (texts.length > 0) errors[name] = texts;
  }
  for (const name of ['default_project_visibility', 'default_group_visibility'] as const) {
    const concerned = input.includes(name) || input.includes('restricted_visibility_levels');
    if (concerned && after.restricted_visibility_levels.includes(after[name])) {
      errors[name] = ['cannot be set to a restricted visibility level'];
    }
  }
  if (changes.repository_storages_weighted !== undefined) {
    const texts = weightErrors(after.repository_storages_weighted, storages);
    if (texts.length > 0) errors.repository_storages_weighted = texts;
  }
  if (changes.domain_denylist_enabled === true && after.domain_denylist.length === 0) {
    errors.domain_denylist = ["can't be blank"];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}
