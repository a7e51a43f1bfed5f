import { GROUP_DEFAULTS, PROJECT_DEFAULTS } from '../../api/spaces/index.ts';
import { PROJECT_FEATURES } from '../../db/tables/projects.table.ts';
import { FLAGS } from '../../integrations/catalogue/catalogue.flags.ts';
import { type IntegrationKind, kindOf } from '../../integrations/catalogue/catalogue.kinds.ts';
import { FIELDS } from '../../integrations/catalogue/fields.ts';
import { parametersOf } from '../seed/seed-fields.ts';
import { type Answer, compact, differing, type ExportSource, listById, unlessEmpty } from './export-source.ts';

/** Stands for a secret, which the API does not tell. */
export const UNKNOWN = 'not-exported';
const UNKNOWN_ADDRESS = 'https://example.com/not-exported';

/** What features of a new project are; all others are enabled. */
const OF_NEW_PROJECTS: Readonly<Answer> = {
  ...PROJECT_DEFAULTS,
  ...Object.fromEntries(PROJECT_FEATURES.map((feature) => [`${feature}_access_level`, 'enabled'])),
  request_access_enabled: true,
};
/** Keys with values of their own, and deprecated ones that stand for others. */
const ELSEWHERE = new Set([
  'path',
  'name',
  'description',
  'visibility',
  'default_branch',
  'topics',
  'tag_list',
  'avatar',
  'import_url',
  'mirror',
  'initialize_with_readme',
  'emails_disabled',
  'public_builds',
  'repository_storage',
  'default_branch_protection',
]);

const settable = (route: string): string[] => [...parametersOf(route)].filter((key) => !ELSEWHERE.has(key));

/** Settings of a project that a new one has otherwise. */
export const projectSettings = (project: Answer): Answer => ({
  ...differing(
    project,
    settable('POST /projects').filter((key) => key in OF_NEW_PROJECTS),
    OF_NEW_PROJECTS,
  ),
  container_expiration_policy_attributes: expirationOf((project.container_expiration_policy ?? {}) as Answer),
});

/** How images expire, if it is otherwise than in a new project; parameters have a name of their own for it. */
function expirationOf({ next_run_at: _, ...policy }: Answer): Answer | undefined {
  const { container_expiration_policy: defaults } = PROJECT_DEFAULTS;
  return unlessEmpty(differing(policy, Object.keys(defaults), { ...defaults }));
}

/** Settings of a group that a new one has otherwise. */
export const groupSettings = (group: Answer): Answer =>
  differing(
    group,
    settable('POST /groups').filter((key) => key in GROUP_DEFAULTS || key === 'request_access_enabled'),
    { ...GROUP_DEFAULTS, request_access_enabled: true },
  );

/** What a group or project has once: push rule, integrations, custom attributes, settings of approvals. @param path of it */
export async function singlesOf(source: ExportSource, path: string, isProject: boolean): Promise<Answer> {
  const rule = (await source.get(`${path}/push_rule`)) as Answer | null;
  const approvals = isProject ? ((await source.get(`${path}/approvals`)) as Answer | null) : null;
  const attributes = await listById(source, `${path}/custom_attributes`);
  const kind = isProject ? 'projects' : 'groups';
  return compact({
    approvals: approvals === null ? undefined : approvalsOf(approvals),
    push_rule: rule === null ? undefined : ruleOf(rule, `POST /${kind}/:id/push_rule`),
    integrations: unlessEmpty(await integrationsOf(source, path)),
    custom_attributes: unlessEmpty(Object.fromEntries(attributes.map(({ key, value }) => [String(key), value]))),
  });
}

const approvalsOf = (approvals: Answer): Answer | undefined =>
  unlessEmpty(
    differing(approvals, parametersOf('POST /projects/:id/approvals'), PROJECT_DEFAULTS as unknown as Answer),
  );

/** A push rule, be it one that forbids nothing. */
const ruleOf = (rule: Answer, route: string): Answer =>
  Object.fromEntries(
    Object.entries(compact(rule)).filter(
      ([key, value]) => parametersOf(route).has(key) && value !== false && value !== 0,
    ),
  );

/** Integrations of their own by slug, with something in place of the secrets that they need. */
async function integrationsOf(source: ExportSource, path: string): Promise<Answer> {
  const exported: Answer = {};
  for (const { slug, inherited } of await listById(source, `${path}/integrations`)) {
    const kind = kindOf(String(slug));
    if (kind === undefined || kind.elsewhere || inherited === true) continue;
    const row = (await source.get(`${path}/integrations/${kind.slug}`)) as Answer | null;
    if (row !== null) exported[kind.slug] = integrationOf(row, kind);
  }
  return exported;
}

function integrationOf(row: Answer, kind: IntegrationKind): Answer {
  const fallbacks = Object.fromEntries(Object.entries(FIELDS).map(([name, { fallback }]) => [name, fallback]));
  const events = Object.fromEntries(kind.flags.map((flag) => [flag, FLAGS[flag][1]]));
  const secrets = kind.required.filter((name) => FIELDS[name]?.secret === true);
  return {
    ...compact(differing((row.properties ?? {}) as Answer, kind.fields, fallbacks)),
    ...Object.fromEntries(secrets.map((name) => [name, FIELDS[name]?.address ? UNKNOWN_ADDRESS : UNKNOWN])),
    ...differing(row, kind.flags, events),
  };
}
