import { Type } from 'typebox';
import { optional } from '../../../http/http.schema.ts';

const dry_run = Type.Boolean({
  description: 'Whether to simulate the creation of a pipeline, including rules and needs; default false.',
});
const include_jobs = Type.Boolean({ description: 'Whether to return the jobs; default false.' });

const lookedAt = 'used by the simulation of a pipeline; the default branch when absent.';

export const lintContent = Type.Object({
  content: Type.String({ description: 'CI/CD configuration as YAML.' }),
  ...optional({ dry_run, include_jobs, ref: Type.String({ description: `Branch or tag ${lookedAt}` }) }).properties,
});

export const lintOfProject = optional({
  content_ref: Type.String({
    description: 'Commit, branch or tag of the configuration; the head of the default branch when absent.',
  }),
  dry_run,
  dry_run_ref: Type.String({ description: `Branch or tag ${lookedAt}` }),
  include_jobs,
  ref: Type.String({ description: 'Deprecated: use `dry_run_ref`.', deprecated: true }),
  sha: Type.String({ description: 'Deprecated: use `content_ref`.', deprecated: true }),
});
