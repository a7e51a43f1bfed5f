import type { Need } from '../pipeline-config.ts';

/**
 * Errors of the needs of jobs in the actual pipeline.
 * @param present names of the jobs in the pipeline
 * @param maxNeeds maximum number of needs of a job
 */
export function needsErrors(
  job: string,
  needs: readonly Need[],
  present: ReadonlySet<string>,
  maxNeeds: number,
): string[] {
  if (needs.length > maxNeeds) {
    return [
      `${job}: one job can only need ${maxNeeds} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
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
