import type { Variable } from '../ci/variables/variable.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { effectiveIntegrations } from './effective-integrations.ts';
import { isAllowed } from './integrations.rules.ts';
import { openSettings } from './integrations.settings.ts';
import { hasIntegrations } from './presence.ts';

/** Settings of an integration, as texts. */
type Text = (name: string) => string;

interface VariableSource {
  /** Setting that limits the variables to protected refs. */
  protectedBy?: string;
  shown: (text: Text) => Readonly<Record<string, string>>;
  masked: (text: Text) => Readonly<Record<string, string>>;
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

/** CI/CD variables from integrations, by slug. */
const VARIABLE_SOURCES: Readonly<Record<string, VariableSource>> = {
  'apple-app-store': {
    protectedBy: 'app_store_protected_refs',
    shown: (text) => ({
      APP_STORE_CONNECT_API_KEY_ISSUER_ID: text('app_store_issuer_id'),
      APP_STORE_CONNECT_API_KEY_KEY_ID: text('app_store_key_id'),
      APP_STORE_CONNECT_API_KEY_IS_KEY_CONTENT_BASE64: 'true',
    }),
    masked: (text) => ({
      APP_STORE_CONNECT_API_KEY_KEY: Buffer.from(text('app_store_private_key')).toString('base64'),
    }),
  },
  'diffblue-cover': {
    shown: (text) => ({ DIFFBLUE_ACCESS_TOKEN_NAME: text('diffblue_access_token_name') }),
    masked: (text) => ({
      DIFFBLUE_LICENSE_KEY: text('diffblue_license_key'),
      DIFFBLUE_ACCESS_TOKEN: text('diffblue_access_token_secret'),
    }),
  },
  'google-play': {
    protectedBy: 'google_play_protected_refs',
    shown: (text) => ({ SUPPLY_PACKAGE_NAME: text('package_name') }),
    masked: (text) => ({ SUPPLY_JSON_KEY_DATA: text('service_account_key') }),
  },
  harbor: {
    shown: (text) => ({
      HARBOR_URL: text('url'),
      HARBOR_HOST: hostOf(text('url')),
      HARBOR_OCI: `oci://${hostOf(text('url'))}`,
      HARBOR_PROJECT: text('project_name'),
      HARBOR_USERNAME: text('username'),
    }),
    masked: (text) => ({ HARBOR_PASSWORD: text('password') }),
  },
};

/**
 * CI/CD variables for jobs of a project from its integrations. Their values are not expanded.
 * @param db handle of a transaction, if any
 * @param protectedRef whether the job runs on a protected ref
 */
export async function integrationVariables(
  deps: Deps,
  db: Db,
  projectId: number,
  protectedRef: boolean,
): Promise<Variable[]> {
  if (!(await hasIntegrations(deps, db))) return [];
  const variables: Variable[] = [];
  for (const { row } of await effectiveIntegrations(db, { kind: 'project', id: projectId })) {
    const input = Object.hasOwn(VARIABLE_SOURCES, row.slug) ? VARIABLE_SOURCES[row.slug] : undefined;
    if (input === undefined || row.active === 0 || !(await isAllowed(deps, row, db))) continue;
    const settings = openSettings(deps, row);
    const protectedOnly = input.protectedBy !== undefined && settings[input.protectedBy] !== false;
    if (protectedOnly && !protectedRef) continue;
    const text: Text = (name) => String(settings[name] ?? '');
    for (const [key, value] of Object.entries(input.shown(text)))
      variables.push({ key, value, public: true, raw: true });
    for (const [key, value] of Object.entries(input.masked(text)))
      variables.push({ key, value, masked: true, public: false, raw: true });
  }
  return variables;
}
