import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by pipelines, jobs, schedules and triggers. */
export const pipelineWords: Vocabulary['entries'] = {
  job_variables_attributes: [
    'Variables of the job in addition to the configured ones.',
    [{ key: 'TARGET', value: 'staging' }],
  ],
  job_id: ['Id of the job.', 42],
  erased_at: ['When its log and artifacts were erased; null if they were not.', null],
  artifacts: ['Artifacts of the job: archive, log and reports.'],
  artifacts_expire_at: ['When the artifacts expire; null for never.', '2026-04-01T09:30:00.000Z'],
  file_type: ['Type of the file: `archive`, `trace` for the log, or the kind of report.', 'archive'],
  file_format: ['Format of the file; null for logs.', 'zip'],
  downstream_pipeline: ['Downstream pipeline; null if there is none or the caller may not see it.', null],
  variable_type: [
    'Whether the job gets the value in an environment variable, or in a file whose path the variable holds.',
    'env_var',
  ],
  raw: ['Whether variable references in the value are left unexpanded.', false],
};
