import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

const texts = (description: string) => Type.Array(Type.String(), { description });
const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Integer({ description });
const nullable = (description: string) => Nullable(Type.String({ description }));

const image = {
  name: text('Name of the image.'),
  entrypoint: Nullable(texts('Entrypoint of the image.')),
  ports: Type.Array(
    Type.Object({
      number: number('Port number.'),
      protocol: text('Protocol of the port.'),
      name: text('Name of the port.'),
    }),
    { description: 'Exposed ports.' },
  ),
  executor_opts: Type.Unsafe<object>({ type: 'object', description: 'Options of a single executor.' }),
  pull_policy: texts('Pull policies of the image.'),
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
  root_namespace_id: number('Id of the top-level group, or of the user.'),
  organization_id: Type.Integer(),
  instance_id: nullable('Unique id of the installation.'),
  instance_uuid: nullable('Unique id of the installation.'),
  user_id: Type.Integer(),
  scoped_user_id: Type.Null({ description: 'Always null.' }),
  time_in_queue_seconds: number('Seconds that the job waited in the queue.'),
  project_jobs_running_on_instance_runners_count: text(
    'Number of jobs of the project running on instance runners; `+Inf` for other runners.',
  ),
  queue_size: number('Number of jobs in the queue.'),
  queue_depth: number('Number of jobs tried before this one.'),
});

const GitInfo = Type.Object({
  repo_url: text('Git URL, including the job token.'),
  ref: Type.String(),
  sha: Type.String(),
  before_sha: Type.String(),
  ref_type: text('`branch` or `tag`.'),
  refspecs: texts('Refspecs to fetch.'),
  depth: number('Number of commits to fetch; 0 for all.'),
  repo_object_format: text('Object format: `sha1` or `sha256`.'),
  protected: Type.Boolean({ description: 'Whether the ref is protected.' }),
});

const Step = Type.Object({
  name: text('Name of the step.'),
  script: texts('Commands, run in order.'),
  timeout: number('Timeout in seconds.'),
  when: text('Condition under which the step runs.'),
  allow_failure: Type.Boolean(),
});

const Artifact = Type.Object({
  name: Type.Optional(text('Name of the file.')),
  untracked: Type.Optional(Type.Boolean({ description: 'Whether untracked files are included.' })),
  paths: texts('Paths to include.'),
  exclude: Type.Optional(texts('Paths to exclude.')),
  when: text('Condition under which the artifact is uploaded.'),
  expire_in: Type.Optional(text('Time until the artifact expires.')),
  artifact_type: text('Type of the artifact.'),
  artifact_format: text('Format of the artifact.'),
});

const Cache = Type.Object({
  key: text('Cache key.'),
  untracked: Type.Boolean({ description: 'Whether untracked files are included.' }),
  paths: texts('Paths to cache.'),
  policy: text('Cache policy: pull, push, or both.'),
  when: text('Condition under which the cache is saved.'),
  fallback_keys: texts('Keys to try if there is no cache for the own key.'),
});

/** Payload of an assigned job. */
export const JobRequest = Type.Object({
  id: Type.Integer(),
  token: text('Job token; valid until the job ends.'),
  allow_git_fetch: Type.Boolean({ description: 'Whether the working copy of an earlier job can be reused.' }),
  job_info: Type.Unsafe<object>({ ...JobInfo, description: 'Information about the job.' }),
  git_info: Type.Unsafe<object>({ ...GitInfo, description: 'Repository to check out.' }),
  runner_info: Type.Object(
    {
      timeout: number('Timeout of the job in seconds.'),
      runner_session_url: Type.Null({ description: 'Always null.' }),
    },
    { description: 'Information for the runner.' },
  ),
  inputs: Type.Array(Type.Unsafe<object>({ type: 'object' }), { description: 'Values of the job inputs.' }),
  variables: Type.Array(
    Type.Object({
      key: text('Name of the variable.'),
      value: text('Value of the variable.'),
      public: Type.Boolean({ description: 'Whether the value may be shown.' }),
      masked: Type.Boolean({ description: 'Whether the value is masked in logs.' }),
      file: Type.Optional(Type.Boolean({ description: 'Whether the job gets the value as a file.' })),
      raw: Type.Optional(
        Type.Boolean({ description: 'Whether variable references in the value are left unexpanded.' }),
      ),
    }),
    { description: 'Environment variables of the job.' },
  ),
  steps: Type.Optional(Type.Array(Step, { description: 'Steps of the job.' })),
  run: Type.Optional(text('Steps as JSON, for jobs with `run`.')),
  hooks: Type.Array(
    Type.Object({ name: text('Name of the hook: before or after which step it runs.'), script: texts('Commands.') }),
    {
      description: 'Scripts that run around the steps.',
    },
  ),
  image: Nullable(Type.Object(image, { description: 'Image of the job; null for the default image of the runner.' })),
  services: Type.Array(
    Type.Object({
      ...image,
      alias: nullable('Host names of the service in the job.'),
      command: Nullable(texts('Command of the service.')),
      variables: Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
        description: 'Environment variables of the service.',
      }),
    }),
    { description: 'Services that run beside the job.' },
  ),
  artifacts: Nullable(Type.Array(Artifact, { description: 'Artifacts of the job; null for none.' })),
  cache: Type.Array(Cache, { description: 'Caches of the job.' }),
  credentials: Type.Array(Type.Unsafe<object>({ type: 'object' }), { description: 'Credentials for registries.' }),
  features: Type.Object(
    {
      trace_sections: Type.Boolean({ description: 'Whether logs may contain sections.' }),
      token_mask_prefixes: texts('Prefixes of tokens to mask in logs.'),
      failure_reasons: texts('Failure reasons that the server supports.'),
    },
    { description: 'Features of the server.' },
  ),
  dependencies: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: text('Name of the job.'),
      token: text('Token for downloading its archive.'),
      artifacts_file: Type.Optional(
        Type.Object({ filename: Type.String(), size: number('Bytes.') }, { description: 'Its artifacts archive.' }),
      ),
    }),
    { description: 'Jobs whose artifacts this job downloads.' },
  ),
  secrets: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'Secrets from external stores.' })),
});
