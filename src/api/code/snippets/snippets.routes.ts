import { type Static, Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Snippet as SnippetRow } from '../../../db/tables/snippets.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { originOf, presentUserAgent, UserAgentDetail } from '../../user-agent.ts';
import { FilePath } from '../repository-files/repository-files.inputs.ts';
import {
  personalSnippetCreator,
  projectSnippetCreator,
  type SnippetKind,
  snippetAdministrator,
  snippetReader,
  snippetWriter,
} from './snippets.access.ts';
import { destroySnippet } from './snippets.destroy.ts';
import { filesToCreate, filesToUpdate } from './snippets.files.ts';
import { CreateSnippetInput, createRules, UpdateSnippetInput, updateRules } from './snippets.inputs.ts';
import { snippetListRoutes } from './snippets.list-routes.ts';
import { fileAt, firstFile, sendText } from './snippets.raw.ts';
import { Snippet } from './snippets.responses.ts';
import { presentSnippets } from './snippets.views.ts';
import { refuseRestricted, visibilityOf } from './snippets.visibility.ts';
import { createSnippet, type SnippetChanges, updateSnippet } from './snippets.writes.ts';

async function present({ deps, caller }: BaseContext, snippet: SnippetRow) {
  const [shown] = await presentSnippets(deps, caller, [snippet]);
  if (shown === undefined) throw notFound('Snippet');
  return shown;
}

type CreateContext = BaseContext & { caller: UserCaller; input: Static<typeof CreateSnippetInput> };

async function create(c: CreateContext, project: Project | null) {
  const { deps, caller, input, request } = c;
  if (input.title.trim() === '') throw invalidParameter('title is empty');
  const snippet = await createSnippet(deps, {
    caller,
    project,
    title: input.title,
    description: input.description ?? null,
    visibility: await visibilityOf(deps, caller, input.visibility, project),
    actions: await filesToCreate(input, (await applicationSettings(deps)).snippet_size_limit),
    ...originOf(request),
  });
  return present(c, snippet);
}

const creation = {
  method: 'POST' as const,
  bodyLimit: 'file' as const,
  input: CreateSnippetInput,
  rules: createRules,
  success: { status: 201 as const, schema: Snippet },
  errors: [400, 413],
};

/** Routes for a single snippet, below `/snippets` and below its project. */
function snippetRoutes(kind: SnippetKind): Route[] {
  const path = kind === 'personal' ? '/snippets/:id' : '/projects/:id/snippets/:snippet_id';
  const whose = kind === 'personal' ? 'a snippet' : 'a project snippet';
  const reader = snippetReader(kind);
  const writer = snippetWriter(kind);
  return [
    route({
      method: 'GET',
      path,
      summary: `Get ${whose}`,
      access: reader,
      success: { status: 200, schema: Snippet },
      handler: (c) => present(c, c.snippet),
    }),
    route({
      method: 'GET',
      path: `${path}/raw`,
      summary: `Get the content of the first file of ${whose}`,
      access: reader,
      success: { status: 200, contentType: 'text/plain' },
      handler: async (c) => sendText(c, await firstFile(c.deps, c.snippet)),
    }),
    route({
      method: 'GET',
      path: `${path}/files/:ref/:file_path/raw`,
      summary: `Get the content of a file of ${whose}`,
      access: reader,
      params: Type.Object({ ref: Filled({ description: 'Branch, tag or commit.' }), ...FilePath }),
      success: { status: 200, contentType: 'text/plain' },
      errors: [400],
      handler: async (c) => sendText(c, await fileAt(c.deps, c.snippet, c.params.ref, c.params.file_path)),
    }),
    route({
      method: 'GET',
      path: `${path}/user_agent_detail`,
      summary: `Get the user agent details of ${whose}`,
      access: snippetAdministrator(kind),
      success: { status: 200, schema: UserAgentDetail },
      handler: ({ snippet }) => presentUserAgent(snippet),
    }),
    route({
      method: 'PUT',
      path,
      summary: `Update ${whose}`,
      access: writer,
      bodyLimit: 'file',
      input: UpdateSnippetInput,
      rules: updateRules,
      success: { status: 200, schema: Snippet },
      errors: [400, 413, 422],
      handler: async (c) => {
        const { title, description, visibility } = c.input;
        if (visibility !== undefined && visibility !== c.snippet.visibility) {
          await refuseRestricted(c.deps, c.caller, visibility);
        }
        const changes: SnippetChanges = {
          ...(title === undefined ? {} : { title }),
          ...(description === undefined ? {} : { description }),
          ...(visibility === undefined ? {} : { visibility }),
        };
        const files = await filesToUpdate(c.input, (await applicationSettings(c.deps)).snippet_size_limit);
        return present(c, await updateSnippet(c.deps, c.caller, c.snippet, changes, files));
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Delete ${whose}`,
      access: writer,
      success: { status: 204, empty: true },
      errors: [412],
      handler: async ({ deps, request, snippet, caller }) => {
        checkUnmodifiedSince(request, snippet.updated_at);
        await destroySnippet(deps, snippet, caller);
      },
    }),
  ];
}

export const snippetsRoutes: readonly Route[] = [
  ...snippetListRoutes,
  ...snippetRoutes('personal'),
  ...snippetRoutes('project'),
  route({
    ...creation,
    path: '/snippets',
    summary: 'Create a snippet',
    access: personalSnippetCreator,
    handler: (c) => create(c, null),
  }),
  route({
    ...creation,
    path: '/projects/:id/snippets',
    summary: 'Create a project snippet',
    access: projectSnippetCreator,
    handler: (c) => create(c, c.project),
  }),
];
