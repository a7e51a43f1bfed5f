import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const Commands = (what: string) => Type.Array(Type.String(), { description: what });

const Need = Type.Object({
  name: Type.String({ description: 'Name of the job.' }),
  artifacts: Type.Boolean({ description: 'Whether the artifacts of that job are wanted.' }),
  optional: Type.Boolean({ description: 'Whether the pipeline may be without that job.' }),
});

const Policy = (what: string) =>
  Nullable(
    Type.Object(
      {
        refs: Type.Optional(Type.Array(Type.String(), { description: 'Kinds, sources, names and patterns of refs.' })),
        variables: Type.Optional(Type.Array(Type.String(), { description: 'Conditions on variables.' })),
        changes: Type.Optional(Type.Array(Type.String(), { description: 'Patterns of changed files.' })),
        kubernetes: Type.Optional(Type.String({ description: '`active` for a cluster.' })),
      },
      { description: what },
    ),
  );

/** A job; `only`, `except` and `needs` are those of the configuration, which a dry run has decided on already. */
export const LintJob = Type.Object({
  name: Type.String(),
  stage: Type.String(),
  before_script: Commands('Commands before the script.'),
  script: Commands('Commands of the job.'),
  after_script: Commands('Commands after the script, whatever came of it.'),
  tag_list: Type.Array(Type.String(), { description: 'Tags that a runner must have.' }),
  only: Type.Optional(Policy('What lets the job into a pipeline; null where rules do.')),
  except: Type.Optional(Policy('What keeps the job out of a pipeline.')),
  environment: Nullable(Type.String({ description: 'Name of the environment.' })),
  when: Type.String({ description: 'When the job runs.' }),
  allow_failure: Type.Boolean(),
  needs: Type.Optional(
    Nullable(Type.Array(Need, { description: 'Jobs that it waits for, in the place of earlier stages.' })),
  ),
});

export const LintInclude = Type.Object({
  type: Enum(['local', 'file', 'remote', 'template', 'component', 'artifact']),
  location: Type.String({ description: 'Path or address of the file, as it was written.' }),
  blob: Nullable(Type.String({ description: 'Where the file can be looked at.' })),
  raw: Nullable(Type.String({ description: 'Where the content of the file can be had.' })),
  extra: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Project and ref of a file of another project; the job of one out of artifacts.',
  }),
  context_project: Nullable(Type.String({ description: 'Full path of the project that includes it.' })),
  context_sha: Nullable(Type.String({ description: 'Commit that includes it.' })),
});

/** What came of looking at a configuration. */
export const LintResult = Type.Object({
  valid: Type.Boolean({ description: 'Whether there are no errors.' }),
  errors: Type.Array(Type.String(), { description: 'What is wrong.' }),
  warnings: Type.Array(Type.String(), { description: 'What may not be meant so.' }),
  merged_yaml: Nullable(
    Type.String({ description: 'The configuration with all that it includes and extends; null if it cannot be made.' }),
  ),
  includes: Nullable(Type.Array(LintInclude, { description: 'Files that it includes, those of included files too.' })),
  jobs: Type.Optional(Type.Array(LintJob, { description: 'Only where asked for; none of an invalid configuration.' })),
});
