import { type TSchema, Type } from 'typebox';
import { Enum, Instant } from '../../http/http.schema.ts';
import { JobRule } from '../jobs/job-outcome.ts';
import {
  collectionSchemas,
  listOf,
  PROJECT_COLLECTIONS,
  PROJECT_FINISH,
  REPOSITORY_COLLECTIONS,
} from './seed-collections.ts';
import { type Fields, fieldsOf, optionalFields } from './seed-fields.ts';

const text = (description: string) => Type.String({ minLength: 1, description });
const maybe = (description: string) => Type.Optional(text(description));
const date = (description: string) => Type.Optional(Instant({ description }));
const object = (fields: Fields, description: string) =>
  Type.Object(fields, { additionalProperties: false, description });
const usernames = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 1_000, description }));
const freely = (description: string, values: object = {}) =>
  Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: values, description }));

const content = Type.Unsafe({
  anyOf: [
    { type: 'string' },
    { type: 'object', properties: { base64: { type: 'string' } }, required: ['base64'], additionalProperties: false },
  ],
  description: 'A text, or {base64: ...}.',
});
const files = (description: string) =>
  Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: content, description }));

const author = maybe('Username of the author; the administrator when absent.');

const commitFields: Fields = {
  branch: maybe('Branch; the default branch when absent. A new one starts at `start_branch`.'),
  start_branch: maybe('Where a new branch starts; the default branch when absent.'),
  message: maybe('Message; tells the files when absent.'),
  author: maybe('Username of the author.'),
  author_name: maybe('Name of the author.'),
  author_email: maybe('E-mail address of the author.'),
  committer_name: maybe('Name of the committer; the author when absent.'),
  committer_email: maybe('E-mail address of the committer.'),
  authored_date: date('When it was written.'),
  committed_date: date('When it was committed; `authored_date` when absent.'),
  actions: Type.Optional(fieldsOf('POST /projects/:id/repository/commits').actions as TSchema),
  files: files('Files to write, by their paths: what `create` and `update` do.'),
  merge: maybe('Branch to merge into `branch`: makes a merge commit.'),
};
const commits = listOf(commitFields, 'Commits, oldest first.');

const emoji = listOf({ name: text('Name of the emoji.'), user: maybe('Username.') }, 'Emoji.', 'name');

const noteFields: Fields = {
  ...fieldsOf('POST /projects/:id/issues/:noteable_id/notes', ['merge_request_diff_head_sha']),
  author,
  award_emoji: emoji,
};
const notes = listOf(noteFields, 'Comments.', 'body');

const position = object(
  {
    new_path: maybe('Path after the change; `old_path` when absent.'),
    old_path: maybe('Path before the change; `new_path` when absent.'),
    new_line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line after the change.' })),
    old_line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line before the change.' })),
  },
  'Place in the diff.',
);

const discussions = listOf(
  {
    notes: Type.Array(
      Type.Unsafe({ anyOf: [object(noteFieldsWithDate(), 'A comment.'), { type: 'string', minLength: 1 }] }),
      { description: 'The comment that begins it, and the replies.' },
    ),
    position: Type.Optional(position),
    resolved: Type.Optional(Type.Boolean({ description: 'Whether it is resolved.' })),
    resolved_by: maybe('Username.'),
  },
  'Threads.',
);

function noteFieldsWithDate(): Fields {
  const { award_emoji: _, ...fields } = noteFields;
  return { ...fields, created_at: date('When it was written.') };
}

const issues = listOf(
  {
    ...fieldsOf('POST /projects/:id/issues', [
      'merge_request_to_resolve_discussions_of',
      'discussion_to_resolve',
      'add_labels',
      'remove_labels',
    ]),
    title: text('Title.'),
    author,
    state: Type.Optional(Enum(['opened', 'closed'])),
    closed_by: maybe('Username.'),
    closed_at: date('When it was closed.'),
    updated_at: date('When it was changed last.'),
    notes,
    discussions,
    award_emoji: emoji,
    links: listOf(
      {
        issue: Type.Unsafe({
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'string', minLength: 1 },
          ],
          description: 'Number of an issue of the project, or group/project#1.',
        }),
        link_type: Type.Optional(Enum(['relates_to', 'blocks', 'is_blocked_by'])),
      },
      'Linked issues.',
    ),
    time_estimate: maybe('Such as 3h30m.'),
    time_spent: maybe('Such as 1h.'),
  },
  'Issues.',
  'title',
);

const mergeRequests = listOf(
  {
    ...fieldsOf('POST /projects/:id/merge_requests', ['add_labels', 'remove_labels', 'approval_rules_attributes']),
    title: maybe('Title; made of the source branch when absent.'),
    target_branch: maybe('Target branch; the default branch when absent.'),
    source_project: maybe('Full path of the fork that has the source branch; the project when absent.'),
    author,
    state: Type.Optional(Enum(['opened', 'closed', 'merged'])),
    draft: Type.Optional(Type.Boolean({ description: 'Whether it is a draft.' })),
    closed_by: maybe('Username.'),
    closed_at: date('When it was closed.'),
    merged_by: maybe('Username.'),
    merged_at: date('When it was merged.'),
    sha: maybe('Commit that the source branch has, if the branch is not there.'),
    merge_commit_sha: maybe('Commit that has merged it, if the history holds the merge already.'),
    squash_commit_sha: maybe('Commit that has squashed it.'),
    commits,
    approval_rules: listOf(
      fieldsOf('POST /projects/:id/merge_requests/:merge_request_iid/approval_rules', ['approval_project_rule_id']),
      'Approval rules.',
    ),
    approved_by: usernames('Usernames of those who approved.'),
    notes,
    discussions,
    award_emoji: emoji,
    time_estimate: maybe('Such as 3h30m.'),
    time_spent: maybe('Such as 1h.'),
  },
  'Merge requests. Without commits a source branch that is not there gets one.',
);

const jobState = Enum(['created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped', 'manual'], {
  description: 'State of the job; success when absent.',
});

/** What pipelines of a seed may come from. */
export const PIPELINE_SOURCES = ['push', 'web', 'api', 'schedule', 'trigger'] as const;

const pipelines = listOf(
  {
    ref: maybe('Branch or tag; the default branch when absent.'),
    source: Type.Optional(Enum(PIPELINE_SOURCES)),
    user: maybe('Username.'),
    name: maybe('Name.'),
    status: Type.Optional(jobState),
    variables: listOf({ key: text('Key.'), value: Type.String() }, 'Variables.'),
    jobs: listOf(
      {
        name: text('Name of the job.'),
        stage: maybe('Stage; test when absent.'),
        status: Type.Optional(jobState),
        allow_failure: Type.Optional(Type.Boolean()),
        tag_list: Type.Optional(Type.Array(Type.String())),
        needs: Type.Optional(Type.Array(Type.String(), { description: 'Names of jobs.' })),
        coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
        failure_reason: maybe('Why it failed.'),
        log: Type.Optional(Type.String({ description: 'Its log.' })),
        started_at: date('When it began.'),
        finished_at: date('When it ended.'),
        artifacts: files('Files of its archive, by their paths.'),
        environment: maybe('Name of the environment that it deploys to.'),
      },
      'Jobs; one called test when absent.',
      'name',
    ),
  },
  'Pipelines with jobs as they are told here. No script is run.',
);

const packages = listOf(
  {
    name: text('Name of the package.'),
    version: text('Version.'),
    package_type: Type.Optional(Enum(['generic', 'npm', 'maven'], { description: 'generic when absent.' })),
    files: files('Files by their names. One of npm has none: its archive is made.'),
    creator: maybe('Username of who publishes it.'),
  },
  'Packages.',
);

const jobRules = Type.Optional(
  Type.Unsafe({
    anyOf: [{ type: 'string', enum: ['auto'] }, Type.Array(JobRule)],
    description: 'How jobs end by themselves: `auto`, or rules by name, the first of which counts.',
  }),
);

/** Keys and schemas of a project. */
export function projectFields(): Fields {
  return {
    ...fieldsOf('POST /projects', [
      'template_name',
      'use_custom_template',
      'template_project_id',
      'group_with_project_templates_id',
      'repository_storage',
      'import_url',
      'mirror',
      'tag_list',
    ]),
    path: text('Path of the project.'),
    name: maybe('Name; the path when absent.'),
    namespace: maybe('Full path of its group, or a username; the administrator when absent.'),
    creator: maybe('Username of who makes it.'),
    forked_from: maybe('Full path of the project that it is a fork of.'),
    import: maybe('A git repository whose history it has: a folder or a bundle, seen from the seed file.'),
    archived: Type.Optional(Type.Boolean()),
    stars: usernames('Usernames of those who gave a star.'),
    commits,
    issues,
    merge_requests: mergeRequests,
    pipelines,
    packages,
    jobs: jobRules,
    ...collectionSchemas([...PROJECT_COLLECTIONS, ...REPOSITORY_COLLECTIONS, ...PROJECT_FINISH]),
    approvals: Type.Optional(
      object(optionalFields(fieldsOf('POST /projects/:id/approvals')), 'Settings of approvals.'),
    ),
    push_rule: Type.Optional(object(optionalFields(fieldsOf('POST /projects/:id/push_rule')), 'Rules for pushes.')),
    integrations: freely('Integrations by their slugs, with their settings.'),
    custom_attributes: freely('Custom attributes by their keys.'),
  };
}
