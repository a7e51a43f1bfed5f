import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** What the words of pipelines, jobs, schedules and triggers mean. */
export const pipelineWords: Vocabulary['entries'] = {
  job_variables_attributes: ['Variables that the job gets beside its own.', [{ key: 'TARGET', value: 'staging' }]],
  job_id: ['Id of the job.', 42],
  erased_at: ['When its log and artifacts were erased; null where they were not.', null],
  artifacts: ['What it left: archive, log and reports.'],
  artifacts_expire_at: ['When its artifacts go; null for never.', '2026-04-01T09:30:00.000Z'],
  file_type: ['What it is: `archive`, `trace` for the log, or the kind of report.', 'archive'],
  file_format: ['How it is packed; null for logs.', 'zip'],
  downstream_pipeline: ['The pipeline that it started; null where there is none that the caller may see.', null],
  variable_type: ['Whether the job finds the value in a variable, or in a file that the variable names.', 'env_var'],
  raw: ['Whether references to other variables in the value stay as they are.', false],
};
