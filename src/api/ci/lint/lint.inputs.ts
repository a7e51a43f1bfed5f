import { Type } from 'typebox';
import { optional } from '../../../http/http.schema.ts';

const dry_run = Type.Boolean({
  description:
    'Whether to simulate a pipeline, rules and needs included, instead of looking at the configuration alone; default false.',
});
const include_jobs = Type.Boolean({ description: 'Whether the answer lists the jobs; default false.' });

const lookedAt = 'of the pipeline that a dry run simulates; the default branch when absent.';

export const lintContent = Type.Object({
  content: Type.String({ description: 'The configuration, as YAML.' }),
  ...optional({ dry_run, include_jobs, ref: Type.String({ description: `Branch or tag ${lookedAt}` }) }).properties,
});

export const lintOfProject = optional({
  content_ref: Type.String({
    description:
      'Commit, branch or tag that the configuration is read from; the head of the default branch when absent.',
  }),
  dry_run,
  dry_run_ref: Type.String({ description: `Branch or tag ${lookedAt}` }),
  include_jobs,
  ref: Type.String({ description: 'Old name of `dry_run_ref`.', deprecated: true }),
  sha: Type.String({ description: 'Old name of `content_ref`.', deprecated: true }),
});
