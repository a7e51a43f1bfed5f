import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { Commit } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { Issue } from '../issues/issues.responses.ts';
import { MergeRequestBasic } from '../merge-requests/requests/merge-requests.responses.ts';
import { ACTIONS } from './todos.inputs.ts';

const ProjectIdentity = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String({ description: 'With the names of the groups above it.' }),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
});

/** Something that waits for a user. */
export const Todo = Type.Object({
  id: Type.Integer(),
  project: ProjectIdentity,
  author: UserBasic,
  action_name: Enum(ACTIONS),
  target_type: Enum(['Issue', 'MergeRequest', 'Commit']),
  target: Type.Union([Issue, MergeRequestBasic, Commit], { description: 'What is to be looked at.' }),
  target_url: Type.String({ description: 'Its page, or the comment on it.' }),
  body: Type.String({ description: 'Text of the comment, else the title of the target.' }),
  state: Enum(['pending', 'done']),
  created_at: Instant(),
  updated_at: Instant(),
});
