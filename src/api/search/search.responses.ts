import { Type } from 'typebox';
import { Nullable } from '../../http/http.schema.ts';
import { Commit, Snippet } from '../code/index.ts';
import { UserBasic } from '../identity/index.ts';
import { Issue, MergeRequestBasic, Milestone, Note } from '../planning/index.ts';
import { Group, SimpleProject } from '../spaces/index.ts';

const blobFields = {
  basename: Type.String({ description: 'Path of the file without its extension.' }),
  data: Type.String({
    description: 'Lines with the match, and lines around it; for a match of the path, the beginning of the file.',
  }),
  path: Type.String({ description: 'Path of the file.' }),
  filename: Type.String({ description: 'Path of the file.' }),
  id: Nullable(Type.String({ description: 'Object id of the file for a match of its path, else null.' })),
  ref: Type.String({ description: 'Branch, tag or commit that was searched.' }),
  startline: Type.Integer({ description: 'Number of the first line of `data` in the file.' }),
};

/** A match in a file of a project. */
export const FoundBlob = Type.Object({ ...blobFields, project_id: Type.Integer() });

/** A match in a page of a wiki. */
export const FoundWikiBlob = Type.Object({
  ...blobFields,
  project_id: Nullable(Type.Integer()),
  group_id: Nullable(Type.Integer()),
});

/** A commit that was found. */
export const FoundCommit = Type.Object({ ...Commit.properties, project_id: Type.Integer() });

/** What a search found: objects of one of these types. */
export const Found = Type.Array(
  Type.Union([
    SimpleProject,
    Group,
    Issue,
    MergeRequestBasic,
    Milestone,
    Snippet,
    UserBasic,
    Note,
    FoundCommit,
    FoundBlob,
    FoundWikiBlob,
  ]),
);
