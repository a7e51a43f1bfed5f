import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const Commands = (what: string) => Type.Array(Type.String(), { description: what });

const Need = Type.Object({
  name: Type.String({ description: 'Name of the job.' }),
  artifacts: Type.Boolean({ description: 'Whether the artifacts of that job are downloaded.' }),
  optional: Type.Boolean({ description: 'Whether the pipeline may lack that job.' }),
});

const Policy = (what: string) =>
  Nullable(
    Type.Object(
      {
        refs: Type.Optional(
          Type.Array(Type.String(), { description: 'Keywords, pipeline sources, ref names and patterns.' }),
        ),
        variables: Type.Optional(Type.Array(Type.String(), { description: 'Conditions on variables.' })),
        changes: Type.Optional(Type.Array(Type.String(), { description: 'Patterns of changed files.' })),
        kubernetes: Type.Optional(Type.String({ description: '`active` for a Kubernetes cluster.' })),
      },
      { description: what },
    ),
  );

/** A job. `only`, `except` and `needs` are those of the configuration; a dry run has already evaluated them. */
export const LintJob = Type.Object({
  name: Type.String(),
  stage: Type.String(),
  before_script: Commands('Commands run before the script.'),
  script: Commands('Commands of the job.'),
  after_script: Commands('Commands run after the script, whether it succeeds or fails.'),
  tag_list: Type.Array(Type.String(), { description: 'Tags that a runner must have.' }),
  only: Type.Optional(Policy('Conditions for adding the job to a pipeline; null for jobs with rules.')),
  except: Type.Optional(Policy('Conditions for leaving the job out of a pipeline.')),
  environment: Nullable(Type.String({ description: 'Name of the environment.' })),
  when: Type.String({ description: 'Condition under which the job runs.' }),
  allow_failure: Type.Boolean(),
  needs: Type.Optional(
    Nullable(Type.Array(Need, { description: 'Jobs that it needs, instead of all earlier stages.' })),
  ),
});

export const LintInclude = Type.Object({
  type: Enum(['local', 'file', 'remote', 'template', 'component', 'artifact']),
  location: Type.String({ description: 'Path or URL of the file, as written.' }),
  blob: Nullable(Type.String({ description: 'Page that shows the file.' })),
  raw: Nullable(Type.String({ description: 'URL of the raw content of the file.' })),
  extra: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Project and ref of a file from another project, or the job of a file from artifacts.',
  }),
  context_project: Nullable(Type.String({ description: 'Full path of the including project.' })),
  context_sha: Nullable(Type.String({ description: 'Commit of the including project.' })),
});

/** Result of linting a configuration. */
export const LintResult = Type.Object({
  valid: Type.Boolean({ description: 'Whether the configuration is valid.' }),
  errors: Type.Array(Type.String(), { description: 'Errors in the configuration.' }),
  warnings: Type.Array(Type.String(), { description: 'Warnings about the configuration.' }),
  merged_yaml: Nullable(
    Type.String({
      description: 'The configuration with all includes and `extends` resolved; null if it cannot be resolved.',
    }),
  ),
  includes: Nullable(Type.Array(LintInclude, { description: 'All included files, including nested ones.' })),
  jobs: Type.Optional(Type.Array(LintJob, { description: 'Only on request; absent for an invalid configuration.' })),
});
