/**
 * Slug for host names and variables such as `CI_COMMIT_REF_SLUG`: `[a-z0-9-]`, at most 63 characters, no dash at either
 * end.
 */
export function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
}

/** Up to three ` 1/3`, ` 1:3`, ` 1 3` or ` [a, b]` at the end of a name. */
const PLACES = /([\s:]+(\[.*\]|\d+[\s:/\\]+\d+)){1,3}\s*$/s;

/** `CI_JOB_GROUP_NAME`: the job name without its position among parallel jobs. */
export function groupName(jobName: string): string {
  return jobName.replace(PLACES, '').trim();
}
