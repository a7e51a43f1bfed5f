import type { JobSeed, PipelineSeed } from '../job-seed.ts';
import type { JobConfig, PipelineConfig, RefPolicy } from '../pipeline-config.ts';

/** `only` or `except` as lint shows it: what was said of it, and nothing else. */
export type LintPolicy = { [Part in keyof RefPolicy]?: NonNullable<RefPolicy[Part]> };

/** What lint shows of a job that a pipeline would have. */
export interface LintJob {
  name: string;
  stage: string;
  before_script: string[];
  script: string[];
  after_script: string[];
  tag_list: string[];
  environment: string | null;
  when: JobConfig['when'];
  allow_failure: boolean;
}

/** What lint shows of a job that stands in a configuration, whether or not a pipeline would have it. */
export interface WrittenLintJob extends LintJob {
  only: LintPolicy | null;
  except: LintPolicy | null;
  needs: { name: string; artifacts: boolean; optional: boolean }[] | null;
}

const policy = (said: RefPolicy | null): LintPolicy | null =>
  said && (Object.fromEntries(Object.entries(said).filter(([, part]) => part !== null)) as LintPolicy);

const common = ({
  name,
  stage,
  options,
  tags,
  environment,
  when,
}: JobConfig | JobSeed): Omit<LintJob, 'allow_failure'> => ({
  name,
  stage,
  before_script: options.beforeScript,
  script: options.script,
  after_script: options.afterScript,
  tag_list: tags,
  environment: environment?.name ?? null,
  when,
});

/** The jobs of a configuration, stage by stage. */
export function writtenLintJobs({ stages, jobs }: PipelineConfig): WrittenLintJob[] {
  const byStage = Map.groupBy(jobs, ({ stage }) => stage);
  return stages.flatMap((stage) =>
    (byStage.get(stage) ?? []).map((job) => ({
      ...common(job),
      allow_failure: job.allowFailure ?? job.when === 'manual',
      only: policy(job.only),
      except: policy(job.except),
      needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
    })),
  );
}

/** The jobs that a pipeline would have, stage by stage. */
export const seededLintJobs = ({ jobs }: PipelineSeed): LintJob[] =>
  jobs
    .toSorted((one, other) => one.stageIndex - other.stageIndex)
    .map((job) => ({ ...common(job), allow_failure: job.allowFailure }));
