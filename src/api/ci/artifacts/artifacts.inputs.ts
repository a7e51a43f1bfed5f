import { Type } from 'typebox';
import { pagination, Secret } from '../../../http/http.schema.ts';

export const ArtifactPath = {
  artifact_path: Type.String({ description: 'Path of a file in the archive.', examples: ['dist/app.js'] }),
};
export const RefName = {
  ref_name: Type.String({
    description:
      'Branch or tag, or `refs/merge-requests/:iid/head` for merge request pipelines. Neither `HEAD` nor a commit.',
    examples: ['main'],
  }),
};

/** Validated first, since it authenticates the request. */
const jobToken = {
  job_token: Type.Optional(
    Secret({ description: 'Token of a running job (`CI_JOB_TOKEN`), as an alternative to other credentials.' }),
  ),
};

export const ByJobToken = Type.Object(jobToken);

export const JobOfRef = Type.Object({
  ...jobToken,
  job: Type.String({ minLength: 1, description: 'Name of the job.', examples: ['build'] }),
  search_recent_successful_pipelines: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Search the last hundred successful pipelines instead of the last one only.',
    }),
  ),
});

export const BrowseArchive = Type.Object({
  path: Type.Optional(
    Type.String({ default: '', description: 'Directory in the archive; the root of the archive when empty.' }),
  ),
  recursive: Type.Optional(Type.Boolean({ default: false, description: 'Include everything below the directory.' })),
  ...pagination,
});
