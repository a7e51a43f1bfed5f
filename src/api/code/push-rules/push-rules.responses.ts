import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

const shown = {
  created_at: Instant(),
  commit_message_regex: Type.String(),
  commit_message_negative_regex: Type.String(),
  branch_name_regex: Type.String(),
  deny_delete_tag: Type.Boolean(),
  member_check: Type.Boolean(),
  prevent_secrets: Type.Boolean(),
  author_email_regex: Type.String(),
  file_name_regex: Type.String(),
  max_file_size: Type.Integer(),
  commit_committer_check: Type.Boolean(),
  commit_committer_name_check: Type.Boolean(),
  reject_unsigned_commits: Type.Boolean(),
  reject_non_dco_commits: Type.Boolean(),
};
const id = Type.Integer({ description: 'Id of the push rule.' });

/** Push rule of a group (part 2, section 2). */
export const GroupPushRule = Type.Object({ id, ...shown });

/** Push rule of a project. */
export const ProjectPushRule = Type.Object({ id, project_id: Type.Integer(), ...shown });
