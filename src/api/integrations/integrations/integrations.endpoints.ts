import { Type } from 'typebox';
import { invalidParameter, notFound, refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { type IntegrationKind, kindOf } from '../../../integrations/catalogue/catalogue.kinds.ts';
import {
  effectiveIntegration,
  effectiveIntegrations,
  type IntegrationOwner,
} from '../../../integrations/effective-integrations.ts';
import { isAllowed, notAvailable } from '../../../integrations/integrations.rules.ts';
import { disableIntegration, inheritIntegration, saveIntegration } from '../../../integrations/integrations.save.ts';
import { managesIn } from '../managed-places.ts';
import { changeOf, IntegrationInput, integrationSlug } from './integrations.inputs.ts';
import { IntegrationEntry, IntegrationSettings } from './integrations.responses.ts';
import { presentEntry, presentSettings } from './integrations.views.ts';

const ABILITIES = { project: 'admin_integrations', group: 'admin_group_integrations' } as const;

/** Returns the integration kind of a slug, for this kind of owner. @throws ApiError 400 */
function kindFor(slug: string, owner: IntegrationOwner['kind']): IntegrationKind {
  const kind = kindOf(slug);
  if (kind === undefined) throw invalidParameter('slug does not have a valid value');
  if (kind.onlyProjects && owner === 'group') throw notAvailable();
  return kind;
}

const notByApi = (what: 'create' | 'disable', { title }: IntegrationKind) =>
  refused(`You cannot ${what} the ${title} integration from the API`, 422);

/** Returns the effective integration of a kind. @throws ApiError 404 if it was never configured */
async function getEffective({ db }: Deps, owner: IntegrationOwner, { slug }: IntegrationKind) {
  const known = await effectiveIntegration(db, owner, slug);
  if (known === undefined) throw notFound('Integration');
  return known;
}

/** Routes of integrations of projects or groups. @param word `integrations`, or its deprecated name */
export function integrationEndpoints(of: IntegrationOwner['kind'], word = 'integrations'): readonly Route[] {
  const path = `/${of}s/:id/${word}`;
  const access = managesIn(of, ABILITIES);
  const earlier = word === 'integrations' ? '' : ' by its deprecated URL';
  const params = integrationSlug;
  const describe = (text: string) => (earlier === '' ? text : `${text} Deprecated: use \`/integrations\`.`);
  return [
    route({
      method: 'GET',
      path,
      summary: `List the integrations of a ${of}${earlier}`,
      description: describe('The active integrations, including those inherited from groups.'),
      access,
      success: { status: 200, schema: Type.Array(IntegrationEntry) },
      handler: async ({ deps, owner }) =>
        (await effectiveIntegrations(deps.db, owner))
          .filter(({ row }) => row.active === 1 && kindOf(row.slug) !== undefined)
          .sort((a, b) => a.row.id - b.row.id)
          .map(presentEntry),
    }),
    route({
      method: 'GET',
      path: `${path}/:integration_slug`,
      summary: `Get the settings of an integration of a ${of}${earlier}`,
      description: describe('Tokens, passwords and URLs of chats are never returned.'),
      access,
      params,
      success: { status: 200, schema: IntegrationSettings },
      errors: [404],
      handler: async ({ deps, owner, params }) => {
        const kind = kindFor(params.integration_slug, of);
        return presentSettings(deps, kind, await getEffective(deps, owner, kind));
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:integration_slug`,
      summary: `Create or update an integration of a ${of}${earlier}`,
      description: describe(
        'Required attributes must be given each time, except tokens and passwords, which are kept while the URL is unchanged. Other attributes are kept when absent; an empty value unsets a choice. Settings of a group are inherited by its subgroups and projects without settings of their own.',
      ),
      access,
      params,
      input: IntegrationInput,
      success: { status: 200, schema: IntegrationSettings },
      errors: [404, 422],
      handler: async (c) => {
        const { deps, params, input } = c;
        if (kindOf(params.integration_slug) === undefined) throw notFound('Integration');
        const kind = kindFor(params.integration_slug, of);
        if (kind.elsewhere) throw notByApi('create', kind);
        if (!(await isAllowed(deps, kind))) throw notAvailable();
        const inherited = input.use_inherited_settings === true ? await inheritIntegration(deps, c, kind) : undefined;
        const saved = inherited ?? (await saveIntegration(deps, c, kind, changeOf(kind, input)));
        return presentSettings(deps, kind, saved);
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:integration_slug`,
      summary: `Disable an integration of a ${of}${earlier}`,
      description: describe('Its settings are deleted. An integration inherited from a group is disabled here only.'),
      access,
      params,
      success: { status: 204, empty: true },
      errors: [404, 412, 422],
      handler: async (c) => {
        const kind = kindFor(c.params.integration_slug, of);
        if (kind.slug === 'jira-cloud-app') throw notByApi('disable', kind);
        const { row } = await getEffective(c.deps, c.owner, kind);
        checkUnmodifiedSince(c.request, row.updated_at);
        await disableIntegration(c.deps, c, kind);
      },
    }),
  ];
}
