import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { Commit } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { Issue } from '../issues/issues.responses.ts';
import { MergeRequestBasic } from '../merge-requests/views/merge-requests.responses.ts';
import { ACTIONS } from './todos.inputs.ts';

const ProjectIdentity = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String({
    description: 'Name of the project, preceded by the names of its ancestor groups.',
  }),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
});

/** A to-do item. */
export const Todo = Type.Object({
  id: Type.Integer(),
  project: ProjectIdentity,
  author: UserBasic,
  action_name: Enum(ACTIONS),
  target_type: Enum(['Issue', 'MergeRequest', 'Commit']),
  target: Type.Union([Issue, MergeRequestBasic, Commit], { description: 'Target of the to-do item.' }),
  target_url: Type.String({ description: 'URL of the target, or of the comment on it.' }),
  body: Type.String({ description: 'Text of the comment, or title of the target.' }),
  state: Enum(['pending', 'done']),
  created_at: Instant(),
  updated_at: Instant(),
});
