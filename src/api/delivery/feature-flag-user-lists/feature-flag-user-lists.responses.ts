import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

/** A list of users for strategies of feature flags. */
export const FeatureFlagUserList = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer({ description: 'Number of the list within its project.' }),
  name: Type.String(),
  user_xids: Type.String(),
  project_id: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
  path: Type.String({
    description: 'Path of its page.',
    examples: ['/root/hello/-/feature_flags_user_lists/1'],
  }),
  edit_path: Type.String({
    description: 'Path of its edit page.',
    examples: ['/root/hello/-/feature_flags_user_lists/1/edit'],
  }),
});
