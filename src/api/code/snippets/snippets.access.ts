import { Type } from 'typebox';
import { whoInProject, whoOnInstance } from '../../../access/ability-words.ts';
import { canUpdateSnippet, findSnippet, type SnippetScope } from '../../../access/access.snippets.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { forbidden, invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Access, AccessRequest } from '../../../http/http.route.ts';
import { administrator, inProject, onServer, type ProjectScope, requireUser } from '../../api.access.ts';
import { findProjectSnippet } from './snippets.find.ts';

/** Whose snippets a route is about. */
export type SnippetKind = 'personal' | 'project';

/** What handlers of changing routes find in their context. */
type WritableScope = SnippetScope & { caller: UserCaller };

/** Snippets that are closed in a project are not there, for its members neither. */
async function inOpenProject(request: AccessRequest, anonymous: boolean): Promise<ProjectScope> {
  try {
    return await inProject('read_snippet', { anonymous }).check(request);
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 403) throw notFound();
    throw error;
  }
}

const projectParams = inProject('read_snippet').params;

/** Whoever may see a project's snippets. */
export const inSnippetsOfProject: Access<ProjectScope> = {
  ...inProject('read_snippet', { anonymous: true }),
  check: (request) => inOpenProject(request, true),
};

/** Users who may make snippets in a project. */
export const makerInProject: Access<ProjectScope & { caller: UserCaller }> = {
  ...inProject('create_snippet'),
  check: async (request) => {
    const scope = await inOpenProject(request, false);
    if (!scope.permissions.can('create_snippet') || request.caller.user === null) throw forbidden();
    return { ...scope, caller: request.caller as UserCaller };
  },
};

/** Users who may have snippets of their own: external ones may not. */
export const snippetMaker = onServer('create_personal_snippet');

const idOf = (text: string, name: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw invalidParameter(`${name} is invalid`);
  return Number(text);
};

async function find(kind: SnippetKind, request: AccessRequest, anonymous: boolean): Promise<SnippetScope> {
  const { deps, caller, params } = request;
  if (kind === 'personal') {
    if (!anonymous) requireUser(caller);
    const found = await findSnippet(deps, caller, idOf(params.id!, 'id'));
    if (found === undefined) throw notFound('Snippet');
    return found;
  }
  const { project, permissions } = await inOpenProject(request, anonymous);
  const id = idOf(params.snippet_id!, 'snippet_id');
  return { project, permissions, snippet: await findProjectSnippet(deps.db, { project, permissions, caller }, id) };
}

const paramsOf = (kind: SnippetKind): Access['params'] => {
  const id = Type.Integer({ description: 'Id of the snippet.' });
  return kind === 'personal' ? { id } : { ...projectParams, snippet_id: id };
};

/** Whoever may read a snippet; others find none. */
export const snippetReader = (kind: SnippetKind): Access<SnippetScope> => ({
  description: 'Whoever may read the snippet; anonymous callers too where it is public',
  anonymous: true,
  moves: kind === 'project',
  params: paramsOf(kind),
  check: (request) => find(kind, request, true),
});

/** Whoever may change a snippet; 403 for those who may only read it. */
export const snippetWriter = (kind: SnippetKind): Access<WritableScope> => ({
  description:
    kind === 'project'
      ? whoInProject('update_snippet', 'snippet')
      : `${whoOnInstance('update_personal_snippet', 'snippet')}. One of a project is changed by those who may change it there`,
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

/** Administrators, for what is known of who made a snippet. */
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
