/** The form of a name for host names and variables such as `CI_COMMIT_REF_SLUG`: `[a-z0-9-]`, at most 63, no dash at an end. */
export function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
}

/** Up to three ` 1/3`, ` 1:3`, ` 1 3` or ` [a, b]` at the end of a name. */
const PLACES = /([\s:]+(\[.*\]|\d+[\s:/\\]+\d+)){1,3}\s*$/s;

/** What jobs of one kind share, `CI_JOB_GROUP_NAME`: the name without its place among those that run in parallel. */
export function groupName(jobName: string): string {
  return jobName.replace(PLACES, '').trim();
}
