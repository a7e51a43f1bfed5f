import { Type } from 'typebox';
import { describeInstanceAbility, describeProjectAbility } from '../../../access/ability-words.ts';
import { canUpdateSnippet, findSnippet, type SnippetScope } from '../../../access/access.snippets.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { forbidden, invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Access, AccessRequest } from '../../../http/http.route.ts';
import { administrator, inProject, onServer, type ProjectScope, requireUser } from '../../api.access.ts';
import { findProjectSnippet } from './snippets.find.ts';

/** Kind of snippets of a route. */
export type SnippetKind = 'personal' | 'project';

/** Context of handlers of changing routes. */
type WritableScope = SnippetScope & { caller: UserCaller };

/** Snippets disabled in a project are 404, for members as well. */
async function inOpenProject(request: AccessRequest, anonymous: boolean): Promise<ProjectScope> {
  try {
    return await inProject('read_snippet', { anonymous }).check(request);
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 403) throw notFound();
    throw error;
  }
}

const projectParams = inProject('read_snippet').params;

/** Callers who may see the snippets of a project. */
export const inSnippetsOfProject: Access<ProjectScope> = {
  ...inProject('read_snippet', { anonymous: true }),
  check: (request) => inOpenProject(request, true),
};

/** Users who may create snippets in a project. */
export const projectSnippetCreator: Access<ProjectScope & { caller: UserCaller }> = {
  ...inProject('create_snippet'),
  check: async (request) => {
    const scope = await inOpenProject(request, false);
    if (!scope.permissions.can('create_snippet') || request.caller.user === null) throw forbidden();
    return { ...scope, caller: request.caller as UserCaller };
  },
};

/** Users who may create personal snippets; external users may not. */
export const personalSnippetCreator = onServer('create_personal_snippet');

const idOf = (text: string, name: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw invalidParameter(`${name} is invalid`);
  return Number(text);
};

async function find(kind: SnippetKind, request: AccessRequest, anonymous: boolean): Promise<SnippetScope> {
  const { deps, caller, params } = request;
  if (kind === 'personal') {
    if (!anonymous) requireUser(caller);
    const snippet = await findSnippet(deps, caller, idOf(params.id!, 'id'));
    if (snippet === undefined) throw notFound('Snippet');
    return snippet;
  }
  const { project, permissions } = await inOpenProject(request, anonymous);
  const id = idOf(params.snippet_id!, 'snippet_id');
  return { project, permissions, snippet: await findProjectSnippet(deps.db, { project, permissions, caller }, id) };
}

const paramsOf = (kind: SnippetKind): Access['params'] => {
  const id = Type.Integer({ description: 'Id of the snippet.' });
  return kind === 'personal' ? { id } : { ...projectParams, snippet_id: id };
};

/** Callers who may read a snippet; 404 for others. */
export const snippetReader = (kind: SnippetKind): Access<SnippetScope> => ({
  description: 'Everyone who may read the snippet, including anonymous callers for public snippets',
  anonymous: true,
  moves: kind === 'project',
  params: paramsOf(kind),
  check: (request) => find(kind, request, true),
});

/** Users who may change a snippet; 403 for users who may only read it. */
export const snippetWriter = (kind: SnippetKind): Access<WritableScope> => ({
  description:
    kind === 'project'
      ? describeProjectAbility('update_snippet', 'snippet')
      : `${describeInstanceAbility('update_personal_snippet', 'snippet')}. For project snippets, the permissions in the project apply`,
  ability: kind === 'project' ? 'update_snippet' : 'update_personal_snippet',
  writes: true,
  anonymous: false,
  moves: kind === 'project',
  params: paramsOf(kind),
  check: async (request) => {
    const scope = await find(kind, request, false);
    if (!canUpdateSnippet(request.caller, scope.snippet, scope.permissions)) throw forbidden();
    return { ...scope, caller: request.caller as UserCaller };
  },
});

/** Administrators, for the user agent details of a snippet. */
export const snippetAdministrator = (kind: SnippetKind): Access<SnippetScope> => ({
  description: administrator.description,
  anonymous: false,
  moves: kind === 'project',
  params: paramsOf(kind),
  check: async (request) => {
    await administrator.check(request);
    return find(kind, request, false);
  },
});
