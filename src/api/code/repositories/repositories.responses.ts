import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';
import { Diff } from '../commits/commits.diff-responses.ts';
import { Commit } from '../commits/commits.responses.ts';

export const TreeObject = Type.Object({
  id: Type.String({ description: 'Object id of the blob, tree or submodule commit.' }),
  name: Type.String(),
  type: Type.String({ description: 'tree, blob or commit (a submodule).' }),
  path: Type.String(),
  mode: Type.String({ description: 'Six octal digits.' }),
});

export const Blob = Type.Object({
  size: Type.Integer({ description: 'Bytes.' }),
  encoding: Type.String({ description: 'Encoding of `content`: `base64`.' }),
  content: Type.String(),
  sha: Type.String(),
});

export const Compare = Type.Object({
  commit: Nullable(Commit),
  commits: Type.Array(Commit, { description: 'Commits of `to` that `from` lacks, oldest first.' }),
  diffs: Type.Array(Diff),
  compare_timeout: Type.Boolean({ description: 'Whether commits or diffs are cut off by limits.' }),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
});

export const Contributor = Type.Object({
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Integer({ description: 'Always 0.' }),
  deletions: Type.Integer({ description: 'Always 0.' }),
});
