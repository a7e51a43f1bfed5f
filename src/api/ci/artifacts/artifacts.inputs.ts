import { Type } from 'typebox';
import { pagination, Secret } from '../../../http/http.schema.ts';

export const ArtifactPath = {
  artifact_path: Type.String({ description: 'Path of a file in the archive.', examples: ['dist/app.js'] }),
};
export const RefName = {
  ref_name: Type.String({
    description:
      'Branch or tag, or `refs/merge-requests/:iid/head` for the pipelines of a merge request; neither `HEAD` nor a commit.',
    examples: ['main'],
  }),
};

/** Read before all else, as one of the ways to say who asks. */
const jobToken = {
  job_token: Type.Optional(
    Secret({ description: 'Token of a job that runs (`CI_JOB_TOKEN`), instead of another one.' }),
  ),
};

export const ByJobToken = Type.Object(jobToken);

export const JobOfRef = Type.Object({
  ...jobToken,
  job: Type.String({ minLength: 1, description: 'Name of the job.', examples: ['build'] }),
  search_recent_successful_pipelines: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Look through the last hundred successful pipelines instead of the last alone.',
    }),
  ),
});

export const BrowseArchive = Type.Object({
  path: Type.Optional(Type.String({ default: '', description: 'Directory in the archive; its root when empty.' })),
  recursive: Type.Optional(Type.Boolean({ default: false, description: 'With all that is below.' })),
  ...pagination,
});
