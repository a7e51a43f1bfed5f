import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { PipelineBasic } from '../pipelines/commit-pipelines.responses.ts';

const commitFields = {
  id: Type.String({ description: 'Object id of the commit.' }),
  short_id: Type.String({ description: 'First eight digits of the id.' }),
  created_at: Instant({ description: 'Always equal to committed_date.' }),
  parent_ids: Type.Array(Type.String()),
  title: Type.String({ description: 'First line of the message.' }),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: Instant(),
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: Instant(),
  trailers: Type.Record(Type.String(), Type.String(), { description: 'Git trailers; the last value of each key.' }),
  extended_trailers: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Git trailers with all values of each key.',
  }),
  web_url: Type.String(),
};

/** A commit in lists and branches (part 1, section 2). */
export const Commit = Type.Object(commitFields);

export const CommitStats = Type.Object({
  additions: Type.Integer(),
  deletions: Type.Integer(),
  total: Type.Integer(),
});

/** A commit in a list, with line counts on request. */
export const CommitListEntry = Type.Object({ ...commitFields, stats: Type.Optional(CommitStats) });

/** A single commit. */
export const CommitDetail = Type.Object({
  ...commitFields,
  stats: Type.Optional(CommitStats),
  status: Nullable(Type.String()),
  project_id: Type.Integer(),
  last_pipeline: Nullable(PipelineBasic),
});
