import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { List } from '../../../http/http.schema.ts';
import { onServer } from '../../api.access.ts';
import { applySuggestions, reloadSuggestions } from './suggestions.apply.ts';
import { Suggestion } from './suggestions.responses.ts';
import { presentEach } from './suggestions.views.ts';

const commit_message = Type.Optional(
  Type.String({ description: 'Template of the commit message; that of the project when absent.' }),
);
const access = onServer('apply_suggestion');

export const suggestionRoutes = [
  route({
    method: 'PUT',
    path: '/suggestions/:id/apply',
    operationId: 'applySuggestion',
    summary: 'Apply a suggestion',
    description: 'Commits the change to the source branch of the merge request, and resolves the thread.',
    access,
    params: Type.Object({ id: Type.Integer({ description: 'Id of the suggestion.' }) }),
    input: Type.Object({ commit_message }),
    success: { status: 200, schema: Suggestion },
    errors: [400, 403, 404],
    handler: async ({ deps, caller, params: { id }, input }) => {
      await applySuggestions(deps, caller, [id], input.commit_message);
      return (await presentEach(deps, await reloadSuggestions(deps, [id])))[0];
    },
  }),
  route({
    method: 'PUT',
    path: '/suggestions/batch_apply',
    operationId: 'applySuggestions',
    summary: 'Apply several suggestions by one commit',
    description: 'All are of one merge request. Either all are applied, or none.',
    access,
    input: Type.Object({
      ids: List(Type.Integer(), { minItems: 1, maxItems: 100, description: 'Ids of the suggestions.' }),
      commit_message,
    }),
    success: { status: 200, schema: Type.Array(Suggestion) },
    errors: [400, 403, 404],
    handler: async ({ deps, caller, input: { ids, commit_message } }) => {
      await applySuggestions(deps, caller, ids, commit_message);
      return presentEach(deps, await reloadSuggestions(deps, ids));
    },
  }),
];
