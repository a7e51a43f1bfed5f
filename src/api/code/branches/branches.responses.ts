import { Type } from 'typebox';
import { Commit } from '../commits/commits.responses.ts';

/** Branch (part 1, section 2). */
export const Branch = Type.Object({
  name: Type.String(),
  commit: Commit,
  merged: Type.Boolean({ description: 'Whether it is merged into the default branch.' }),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean(),
  developers_can_merge: Type.Boolean(),
  can_push: Type.Boolean({ description: 'Whether the caller may push to it.' }),
  default: Type.Boolean(),
  web_url: Type.String(),
});
