import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

const texts = (description: string) => Type.Array(Type.String(), { description });
const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Integer({ description });
const nullable = (description: string) => Nullable(Type.String({ description }));

const image = {
  name: text('Name of the image.'),
  entrypoint: Nullable(texts('What is run in it first.')),
  ports: Type.Array(
    Type.Object({
      number: number('Number of the port.'),
      protocol: text('How it is spoken to.'),
      name: text('What it is called.'),
    }),
    { description: 'Ports that it opens.' },
  ),
  executor_opts: Type.Unsafe<object>({ type: 'object', description: 'What is for one kind of executor alone.' }),
  pull_policy: texts('When the image is fetched anew.'),
};

const JobInfo = Type.Object({
  id: Type.Integer(),
  name: text('Name of the job.'),
  stage: Type.String(),
  project_id: Type.Integer(),
  project_name: text('Path of the project.'),
  project_full_path: text('Full path of the project.'),
  pipeline_id: Type.Integer(),
  namespace_id: Type.Integer(),
  root_namespace_id: number('Id of the topmost group, or of the user.'),
  organization_id: Type.Integer(),
  instance_id: nullable('Id of the installation.'),
  instance_uuid: nullable('Id of the installation.'),
  user_id: Type.Integer(),
  scoped_user_id: Type.Null({ description: 'Always null.' }),
  time_in_queue_seconds: number('Seconds that it waited.'),
  project_jobs_running_on_instance_runners_count: text(
    'Jobs of the project that runners of the server have in hand; `+Inf` for other runners.',
  ),
  queue_size: number('Jobs among which it was chosen.'),
  queue_depth: number('Jobs that were tried before it.'),
});

const GitInfo = Type.Object({
  repo_url: text('Address for git, with the token of the job.'),
  ref: Type.String(),
  sha: Type.String(),
  before_sha: Type.String(),
  ref_type: text('`branch` or `tag`.'),
  refspecs: texts('What is fetched.'),
  depth: number('How many commits are fetched; 0 for all.'),
  repo_object_format: text('Kind of object ids: `sha1` or `sha256`.'),
  protected: Type.Boolean({ description: 'Whether the ref is protected.' }),
});

const Step = Type.Object({
  name: text('What it is called.'),
  script: texts('Commands, one after the other.'),
  timeout: number('Seconds that it may take.'),
  when: text('After what it runs.'),
  allow_failure: Type.Boolean(),
});

const Artifact = Type.Object({
  name: Type.Optional(text('Name of the file.')),
  untracked: Type.Optional(Type.Boolean({ description: 'Whether files that git does not know are taken.' })),
  paths: texts('What is taken.'),
  exclude: Type.Optional(texts('What is not.')),
  when: text('After what it is sent.'),
  expire_in: Type.Optional(text('How long it is kept.')),
  artifact_type: text('Kind of file.'),
  artifact_format: text('How it is packed.'),
});

const Cache = Type.Object({
  key: text('Name under which it is kept.'),
  untracked: Type.Boolean({ description: 'Whether files that git does not know are taken.' }),
  paths: texts('What is taken.'),
  policy: text('Whether it is fetched, kept, or both.'),
  when: text('After what it is kept.'),
  fallback_keys: texts('Names that are tried when there is none of its own.'),
});

/** What a runner is told of the job that it gets. */
export const JobRequest = Type.Object({
  id: Type.Integer(),
  token: text('Token of the job, which ends with it.'),
  allow_git_fetch: Type.Boolean({ description: 'Whether the working copy of an earlier job may be used.' }),
  job_info: Type.Unsafe<object>({ ...JobInfo, description: 'What it is.' }),
  git_info: Type.Unsafe<object>({ ...GitInfo, description: 'Where its code is.' }),
  runner_info: Type.Object(
    {
      timeout: number('Seconds that the job may run.'),
      runner_session_url: Type.Null({ description: 'Always null.' }),
    },
    { description: 'What concerns the runner.' },
  ),
  inputs: Type.Array(Type.Unsafe<object>({ type: 'object' }), { description: 'Values of the inputs of the job.' }),
  variables: Type.Array(
    Type.Object({
      key: text('Name of the variable.'),
      value: text('Its value.'),
      public: Type.Boolean({ description: 'Whether it may be shown.' }),
      masked: Type.Boolean({ description: 'Whether logs hide its value.' }),
      file: Type.Optional(Type.Boolean({ description: 'Whether the job gets a file with the value.' })),
      raw: Type.Optional(Type.Boolean({ description: 'Whether the value stays as it is.' })),
    }),
    { description: 'What the job has in its environment.' },
  ),
  steps: Type.Optional(Type.Array(Step, { description: 'What it runs.' })),
  run: Type.Optional(text('What it runs, as JSON, where it is written as `run`.')),
  hooks: Type.Array(Type.Object({ name: text('Before or after what.'), script: texts('Commands.') }), {
    description: 'What is run around the steps.',
  }),
  image: Nullable(Type.Object(image, { description: 'What it runs in; null for what the runner has.' })),
  services: Type.Array(
    Type.Object({
      ...image,
      alias: nullable('Names under which the job finds it.'),
      command: Nullable(texts('What is run in it.')),
      variables: Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
        description: 'What it has in its environment.',
      }),
    }),
    { description: 'What runs beside it.' },
  ),
  artifacts: Nullable(Type.Array(Artifact, { description: 'What it leaves; null for nothing.' })),
  cache: Type.Array(Cache, { description: 'What is kept from one job to the next.' }),
  credentials: Type.Array(Type.Unsafe<object>({ type: 'object' }), { description: 'Where else it may sign in.' }),
  features: Type.Object(
    {
      trace_sections: Type.Boolean({ description: 'Whether logs may have sections.' }),
      token_mask_prefixes: texts('How words begin that logs hide.'),
      failure_reasons: texts('Reasons that the server knows.'),
    },
    { description: 'What the server is able to do.' },
  ),
  dependencies: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: text('Name of the job.'),
      token: text('Token with which its archive is fetched.'),
      artifacts_file: Type.Optional(
        Type.Object({ filename: Type.String(), size: number('Bytes.') }, { description: 'Its archive.' }),
      ),
    }),
    { description: 'Jobs whose archives it gets.' },
  ),
  secrets: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'Secrets of stores elsewhere.' })),
});
