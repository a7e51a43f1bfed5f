/** Pages of a project by the prefix of the number or name, with the API path below the project. */
const PAGES: readonly [pattern: RegExp, target: (...parts: string[]) => string][] = [
  [/^(issues|work_items)\/(\d+)$/, (_kind, iid) => `/issues/${iid}`],
  [/^merge_requests\/(\d+)(?:\/.*)?$/, (iid) => `/merge_requests/${iid}`],
  [/^milestones\/(\d+)$/, (iid) => `/milestones?iids%5B%5D=${iid}`],
  [/^snippets\/(\d+)$/, (id) => `/snippets/${id}`],
  [/^wikis\/?(?:pages\/?)?$/, () => '/wikis'],
  [/^wikis\/(.+?)(?:\/(?:edit|history))?$/, (slug) => `/wikis/${slug}`],
  [/^pipelines\/(\d+)$/, (id) => `/pipelines/${id}`],
  [/^jobs\/(\d+)$/, (id) => `/jobs/${id}`],
  [/^jobs\/(\d+)\/raw$/, (id) => `/jobs/${id}/trace`],
  [/^jobs\/(\d+)\/artifacts\/download$/, (id) => `/jobs/${id}/artifacts`],
  [/^packages\/(\d+)$/, (id) => `/packages/${id}`],
  [/^commit\/([^/]+)$/, (sha) => `/repository/commits/${sha}`],
  [/^commits\/(.+)$/, (ref) => `/repository/commits?ref_name=${ref}`],
  [/^compare\/(.+?)\.\.\.(.+)$/, (from, to) => `/repository/compare?from=${from}&to=${to}`],
  [/^compare\/(.+?)\.\.(.+)$/, (from, to) => `/repository/compare?from=${from}&to=${to}&straight=true`],
  [/^releases\/(.+?)(?:\/edit)?$/, (tag) => `/releases/${tag}`],
  [/^tags\/(.+)$/, (name) => `/repository/tags/${name}`],
  [
    /^(branches|tags|issues|merge_requests|milestones|releases|pipelines|jobs|packages)\/?$/,
    (kind) => (kind === 'branches' || kind === 'tags' ? `/repository/${kind}` : `/${kind}`),
  ],
];

/**
 * The API counterpart of a project page. Does not check whether the object exists.
 * @param page the path after `/-/`, decoded
 * @returns the path below the project's, or null for a page without counterpart
 */
export function apiAddressOf(page: string): string | null {
  for (const [pattern, target] of PAGES) {
    const match = pattern.exec(page);
    if (match !== null) return target(...match.slice(1).map(encodeURIComponent));
  }
  return null;
}
