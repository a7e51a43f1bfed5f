import type { Need } from '../pipeline-config.ts';

/** Other jobs that one may need. */
const MAX_NEEDS = 50;

/**
 * What is wrong with what a job needs, in the pipeline as it is.
 * @param present names of the jobs that the pipeline has
 */
export function needsErrors(job: string, needs: readonly Need[], present: ReadonlySet<string>): string[] {
  if (needs.length > MAX_NEEDS) {
    return [
      `${job}: one job can only need ${MAX_NEEDS} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
    ];
  }
  return needs
    .filter((need) => !need.optional && !present.has(need.job))
    .map(
      (need) =>
        `'${job}' job needs '${need.job}' job, but '${need.job}' does not exist in the pipeline. ` +
        'This might be because of the only, except, or rules keywords. ' +
        'To need a job that sometimes does not exist in the pipeline, use needs:optional.',
    );
}
