import { conversationOf } from './export-conversations.ts';
import {
  type Answer,
  compact,
  type ExportSource,
  flags,
  listAll,
  pick,
  usernameOf,
  usernames,
} from './export-source.ts';

const milestoneOf = ({ milestone }: Answer): unknown => (milestone as Answer | null)?.title;
const OLDEST_FIRST = 'scope=all&order_by=created_at&sort=asc';

const byNumber = (one: Answer, other: Answer): number => Number(one.iid) - Number(other.iid);

/** The issues of a project, in the order of their numbers. */
export async function issuesOf(source: ExportSource, project: string): Promise<Answer[]> {
  const issues = (await listAll(source, `${project}/issues?${OLDEST_FIRST}`)).sort(byNumber);
  const exported: Answer[] = [];
  for (const issue of issues) {
    const path = `${project}/issues/${String(issue.iid)}`;
    exported.push(
      compact({
        ...pick(issue, ['title', 'description', 'labels', 'due_date', 'weight', 'created_at']),
        author: usernameOf(issue.author),
        assignees: usernames(issue.assignees),
        milestone: milestoneOf(issue),
        issue_type: issue.issue_type === 'issue' ? undefined : issue.issue_type,
        ...flags(issue, ['confidential', 'discussion_locked']),
        ...closingOf(issue),
        ...(await conversationOf(source, path, issue)),
        links: await linksOf(source, path, issue),
      }),
    );
  }
  return exported;
}

const closingOf = ({ state, closed_by, closed_at }: Answer): Answer =>
  state === 'closed' ? { state, closed_by: usernameOf(closed_by), closed_at } : {};

/** Links to issues; of two that are linked, the first one has it. */
async function linksOf(source: ExportSource, path: string, issue: Answer): Promise<Answer[]> {
  const links = await listAll(source, `${path}/links`);
  return links
    .filter(({ id }) => Number(id) > Number(issue.id))
    .map(({ references, link_type, link_created_at }) => ({
      issue: (references as Answer).full,
      ...(link_type === 'relates_to' ? {} : { link_type }),
      created_at: link_created_at,
    }));
}

/** The merge requests of a project, in the order of their numbers. @param pathOf full path of a project by id */
export async function mergeRequestsOf(
  source: ExportSource,
  project: string,
  pathOf: (id: number) => string | undefined,
): Promise<Answer[]> {
  const rows = (await listAll(source, `${project}/merge_requests?${OLDEST_FIRST}`)).sort(byNumber);
  const exported: Answer[] = [];
  for (const { iid } of rows) {
    const path = `${project}/merge_requests/${String(iid)}`;
    const row = (await source.get(path)) as Answer;
    const fromFork = row.source_project_id !== row.target_project_id;
    const approvals = (await source.get(`${path}/approvals`)) as Answer | null;
    exported.push(
      compact({
        ...pick(row, ['source_branch', 'target_branch', 'title', 'description', 'labels', 'created_at']),
        source_project: fromFork ? pathOf(Number(row.source_project_id)) : undefined,
        author: usernameOf(row.author),
        assignees: usernames(row.assignees),
        reviewers: usernames(row.reviewers),
        milestone: milestoneOf(row),
        ...flags(row, ['squash', 'discussion_locked']),
        remove_source_branch: row.force_remove_source_branch === true ? true : undefined,
        approval_rules: (await listAll(source, `${path}/approval_rules`))
          .filter(({ rule_type: type, source_rule: of }) => type === 'regular' && of == null)
          .map((rule) => compact({ ...pick(rule, ['name', 'approvals_required']), ...whoApproves(rule) })),
        approved_by: usernames(((approvals?.approved_by ?? []) as Answer[]).map(({ user }) => user)),
        ...closingOf(row),
        ...mergingOf(row),
        ...(await conversationOf(source, path, row)),
      }),
    );
  }
  return exported;
}

/** Users and groups of an approval rule. */
export const whoApproves = ({ users, groups }: Answer): Answer => ({
  users: usernames(users),
  groups: ((groups ?? []) as Answer[]).map(({ full_path }) => full_path),
});

/** That it is merged, and by which commits: they are in the history already. */
function mergingOf(row: Answer): Answer {
  if (row.state !== 'merged') return {};
  const { state, sha, merged_at, merge_commit_sha, squash_commit_sha, merge_user } = row;
  return { state, sha, merged_by: usernameOf(merge_user), merged_at, merge_commit_sha, squash_commit_sha };
}
