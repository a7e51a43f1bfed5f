import { type FieldErrors, invalidModel, invalidParameter, refused } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { BlockedAddress, resolveExternal, UnresolvedHost } from '../outbound/outbound.resolve.ts';
import { patternError } from '../repositories/push-rules/push-rules.pattern.ts';
import { applicationSettings } from '../settings/application-settings.ts';
import { hookAddress, hookRules } from '../webhooks/webhooks.address.ts';
import type { IntegrationKind } from './catalogue/catalogue.kinds.ts';
import { FIELDS } from './catalogue/fields.ts';
import { effectiveIntegrations, type IntegrationOwner } from './effective-integrations.ts';
import type { Settings } from './integrations.settings.ts';
import { jiraPattern, TRACKER_SLUGS } from './trackers/patterns.ts';

const MAX_EXPRESSION = 255;

/** Whether the application settings allow a kind. @param db handle of a transaction, if any */
export async function isAllowed(
  deps: Deps,
  { slug }: Pick<IntegrationKind, 'slug'>,
  db: Db = deps.db,
): Promise<boolean> {
  const { allow_all_integrations: all, allowed_integrations: some } = await applicationSettings(deps, db);
  return all || some.includes(slug) || some.includes(slug.replaceAll('-', '_'));
}

/** Whether a field determines where secrets are sent: changing it discards secrets given for the old address. */
const leadsElsewhere = (name: string): boolean =>
  FIELDS[name]?.address === true || ['subdomain', 'server_host', 'datadog_site'].includes(name);

/**
 * Settings after a change: given values replace old ones. If an address changes, secrets that are not given again are
 * discarded.
 * @param before null for a new one
 */
export function changedSettings(kind: IntegrationKind, before: Settings | null, input: Settings): Settings {
  const old = before ?? {};
  const moved = kind.fields.some(
    (name) => leadsElsewhere(name) && FIELDS[name]?.secret !== true && name in input && input[name] !== old[name],
  );
  const remaining = Object.entries(old).filter(([name]) => !moved || FIELDS[name]?.secret !== true);
  const after = Object.entries({ ...Object.fromEntries(remaining), ...input });
  // An empty choice restores the default.
  return Object.fromEntries(after.filter(([name, value]) => value !== '' || FIELDS[name]?.values === undefined));
}

/**
 * Validates settings, and refuses blocked URLs; URLs are checked again for each call. A host that cannot be resolved
 * now is accepted.
 * @throws ApiError 400
 */
export async function refuseInvalid(
  deps: Deps,
  kind: IntegrationKind,
  settings: Settings,
  input: Settings,
): Promise<void> {
  refuseIncomplete(kind, settings, input);
  const errors: FieldErrors = {};
  for (const name of kind.fields) {
    const value = settings[name];
    if (FIELDS[name]?.address !== true || typeof value !== 'string' || value === '') continue;
    const problem = await addressProblemOf(deps, value);
    if (problem !== null) errors[name] = [problem];
  }
  for (const name of ['jira_issue_regex', 'jira_issue_prefix']) {
    const value = settings[name];
    const problem =
      typeof value === 'string' ? expressionProblemOf(value, (only) => (only === name ? value : '')) : null;
    if (problem !== null) errors[name] = [problem];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/**
 * Checks that a request sets all required fields, except stored secrets.
 * @param settings settings after the change
 * @param input settings in the request
 * @throws ApiError 400 if a field is missing or empty
 */
export function refuseIncomplete(kind: IntegrationKind, settings: Settings, input: Settings): void {
  const missing = kind.required.filter(
    (name) => settings[name] === undefined || (input[name] === undefined && FIELDS[name]?.secret !== true),
  );
  if (missing.length > 0) throw invalidParameter(missing.map((name) => `${name} is missing`).join(', '));
  const blank = kind.required.filter((name) => String(settings[name]).trim() === '');
  if (blank.length > 0) throw invalidModel(Object.fromEntries(blank.map((name) => [name, ["can't be blank"]])));
}

async function addressProblemOf(deps: Deps, text: string): Promise<string | null> {
  const rules = await hookRules(deps, false);
  try {
    await resolveExternal(hookAddress(deps, text, rules), rules);
    return null;
  } catch (error) {
    if (error instanceof UnresolvedHost) return null;
    if (error instanceof BlockedAddress) return error.message;
    throw error;
  }
}

/** Validates an expression on its own, because it is combined with others. */
function expressionProblemOf(source: string, text: (name: string) => string): string | null {
  if (source.length > MAX_EXPRESSION) return `is too long (maximum is ${MAX_EXPRESSION} characters)`;
  return patternError(source) ?? patternError(jiraPattern(text));
}

/**
 * Refuses an issue tracker if the project already has another one.
 * @param db handle of a transaction
 * @throws ApiError 400
 */
export async function refuseSecondTracker(db: Db, { slug }: IntegrationKind, owner: IntegrationOwner): Promise<void> {
  if (owner.kind !== 'project' || !TRACKER_SLUGS.includes(slug)) return;
  const others = await effectiveIntegrations(db, owner);
  if (!others.some(({ row }) => row.active === 1 && row.slug !== slug && TRACKER_SLUGS.includes(row.slug))) return;
  throw invalidModel({
    base: ['Another issue tracker is already in use. Only one issue tracker service can be active at a time'],
  });
}

/** Refusal of a kind that is not available in a project or group. */
export const notAvailable = () => refused('400 Integration not available');
