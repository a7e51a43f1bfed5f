import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import type { TextHome } from '../../../references/mention-places.ts';
import { NOWHERE, renderPlainText, renderText } from '../../../references/render-text.ts';
import { signedIn } from '../../api.access.ts';

export const markdownRoutes = [
  route({
    method: 'POST',
    path: '/markdown',
    summary: 'Render a Markdown text',
    description:
      'With `gfm`, what the text names (`#1`, `@user`, commits, emoji) is shown as links, as far as the caller may see it.',
    access: signedIn,
    input: Type.Object({
      text: Type.String({ description: 'Markdown text.' }),
      gfm: Type.Optional(Type.Boolean({ description: 'Whether names of issues, users and others become links.' })),
      project: Type.Optional(
        Type.String({ description: 'Id or path of the project that the names are of, and relative links.' }),
      ),
    }),
    success: { status: 201, schema: Type.Object({ html: Type.String({ description: 'The text as HTML.' }) }) },
    errors: [404, 422, 429],
    handler: async ({ deps, caller, input: { text, gfm = false, project: path } }) => {
      const home = path === undefined || path === '' ? NOWHERE : await homeAt(deps, caller, path);
      return { html: gfm ? await renderText(deps, caller, home, text) : await renderPlainText(deps, home, text) };
    },
  }),
];

/** @throws ApiError 404 */
async function homeAt(deps: Deps, caller: Caller, path: string): Promise<TextHome> {
  const home = await findProject(deps, path);
  const permissions = home && (await projectPermissions(deps, caller, home.project, home.namespace));
  if (home === undefined || permissions?.can('read_project') !== true) throw notFound('Project');
  return home;
}
