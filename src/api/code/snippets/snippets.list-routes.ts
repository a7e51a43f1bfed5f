import { Type } from 'typebox';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { signedIn } from '../../api.access.ts';
import { inSnippetsOfProject } from './snippets.access.ts';
import { AllSnippetsInput, SnippetListInput } from './snippets.inputs.ts';
import { allSnippets, ownSnippets, projectSnippets, publicSnippets } from './snippets.list.ts';
import { Snippet } from './snippets.responses.ts';
import { presentSnippets } from './snippets.views.ts';

const success = { status: 200 as const, schema: Type.Array(Snippet) };

function sendPage(c: BaseContext, query: ReturnType<typeof publicSnippets>) {
  return c.page(query, (rows) => presentSnippets(c.deps, c.caller, rows));
}

export const snippetListRoutes = [
  route({
    method: 'GET',
    path: '/snippets',
    summary: 'List the snippets of the caller',
    access: signedIn,
    input: SnippetListInput,
    success,
    handler: (c) => sendPage(c, ownSnippets(c.deps, c.caller, c.input)),
  }),
  route({
    method: 'GET',
    path: '/snippets/public',
    summary: 'List the public personal snippets of all users',
    access: signedIn,
    input: SnippetListInput,
    success,
    handler: (c) => sendPage(c, publicSnippets(c.deps, c.input)),
  }),
  route({
    method: 'GET',
    path: '/snippets/all',
    summary: 'List all snippets that the caller may read',
    access: signedIn,
    input: AllSnippetsInput,
    success,
    handler: async (c) => sendPage(c, await allSnippets(c.deps, c.caller, c.input)),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/snippets',
    summary: 'List the snippets of a project',
    access: inSnippetsOfProject,
    input: SnippetListInput,
    success,
    handler: (c) => sendPage(c, projectSnippets(c.deps, c.caller, c, c.input)),
  }),
];
