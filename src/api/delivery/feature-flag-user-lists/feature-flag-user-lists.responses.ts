import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

/** Users for whom several feature flags can be on. */
export const FeatureFlagUserList = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer({ description: 'Number of the list in its project.' }),
  name: Type.String(),
  user_xids: Type.String(),
  project_id: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
  path: Type.String({
    description: 'Where it is shown, below the address of the server.',
    examples: ['/root/hello/-/feature_flags_user_lists/1'],
  }),
  edit_path: Type.String({
    description: 'Where it is changed, below the address of the server.',
    examples: ['/root/hello/-/feature_flags_user_lists/1/edit'],
  }),
});
