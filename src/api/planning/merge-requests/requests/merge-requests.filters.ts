import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import { invalidParameter } from '../../../../core/core.errors.ts';
import { equalsIgnoringCase } from '../../../../db/like.ts';
import type { Deps } from '../../../../deps.ts';
import { numberNoneAny } from '../../issuables/issuables.filter-inputs.ts';
import type { Ids, Narrowing } from '../../issuables/issuables.filters.ts';
import type { MergeRequestFilters } from './merge-requests.filter-inputs.ts';

const NOTHING = sql<SqlBool>`1 = 0`;
const EVERY = sql<SqlBool>`1 = 1`;
const column = (name: string) => sql.ref(`merge_requests.${name}`);

/** A table related to merge requests, and its column with the merge request id. */
interface About {
  from: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
}
const REVIEWERS: About = { from: sql`merge_request_reviewers about`, id: sql`about.merge_request_id` };
const APPROVALS: About = { from: sql`approvals about`, id: sql`about.merge_request_id` };

/** Collects the conditions of the filters of merge requests only. */
class OwnFilters {
  readonly deps: Deps;
  readonly #projectId: number | undefined;
  readonly conditions: Expression<SqlBool>[] = [];
  readonly sources: Ids[] = [];

  /** @param projectId project of a list of one project */
  constructor(deps: Deps, projectId: number | undefined) {
    this.deps = deps;
    this.#projectId = projectId;
  }

  add(condition: Expression<SqlBool>, source?: Ids): void {
    this.conditions.push(condition);
    if (source !== undefined) this.sources.push(source);
  }

  equals(name: string, value: string | number | undefined, indexed = false): void {
    if (value === undefined) return;
    const condition = sql<SqlBool>`${column(name)} = ${value}`;
    const place = this.#projectId === undefined ? EVERY : sql<SqlBool>`${column('project_id')} = ${this.#projectId}`;
    const source: Ids = sql`select merge_requests.id from merge_requests where ${condition} and ${place}`;
    this.add(condition, indexed ? source : undefined);
  }

  /** Merge requests with, or without, a matching row in the table. */
  having({ from, id }: About, where: Expression<SqlBool>, negate = false): void {
    const exists = sql<SqlBool>`exists (select 1 from ${from} where ${id} = ${column('id')} and ${where})`;
    if (negate) this.add(sql<SqlBool>`not ${exists}`);
    else this.add(exists, sql`select ${id} as id from ${from} where ${where}`);
  }

  async userId(username: string): Promise<number | undefined> {
    const user = await this.deps.db
      .selectFrom('users')
      .select('id')
      .where((eb) => equalsIgnoringCase(eb.ref('username'), username))
      .executeTakeFirst();
    return user?.id;
  }

  /** Merge requests related to all users of the ids, or None or Any. */
  people(about: About, ids: readonly (number | undefined)[] | 'none' | 'any', negate = false): void {
    if (ids === 'none' || ids === 'any') this.having(about, EVERY, (ids === 'none') !== negate);
    else
      for (const id of ids) {
        if (id !== undefined) this.having(about, sql<SqlBool>`about.user_id = ${id}`, negate);
        else if (!negate) this.add(NOTHING);
      }
  }
}

/** Parses a list of ids, or None or Any. @throws ApiError 400 */
function idsOrWord(name: string, values: readonly string[]): number[] | 'none' | 'any' {
  const [first = ''] = values;
  const word = first.toLowerCase();
  if (values.length === 1 && (word === 'none' || word === 'any')) return word;
  if (!values.every((value) => /^\d{1,15}$/.test(value))) {
    throw invalidParameter(`${name} should be an array, 'None' or 'Any'`);
  }
  return values.map(Number);
}

async function byReviewer(own: OwnFilters, filters: MergeRequestFilters, caller: Caller): Promise<void> {
  const { reviewer_id, reviewer_username, not = {}, scope } = filters;
  if (reviewer_id !== undefined) {
    const id = numberNoneAny(reviewer_id);
    own.people(REVIEWERS, typeof id === 'number' ? (id === 0 ? 'none' : [id]) : id);
  }
  if (reviewer_username !== undefined) {
    const word = reviewer_username.toLowerCase();
    own.people(REVIEWERS, word === 'none' || word === 'any' ? word : [await own.userId(reviewer_username)]);
  }
  if (not.reviewer_id !== undefined) own.people(REVIEWERS, [not.reviewer_id], true);
  if (not.reviewer_username !== undefined) own.people(REVIEWERS, [await own.userId(not.reviewer_username)], true);
  if (scope === 'reviews_for_me') own.people(REVIEWERS, [caller.user?.id]);
}

async function byApproval(own: OwnFilters, filters: MergeRequestFilters): Promise<void> {
  const { approved_by_ids: ids, approved_by_usernames: names, approver_ids: approvers } = filters;
  if (ids !== undefined && ids.length > 0) own.people(APPROVALS, idsOrWord('approved_by_ids', ids));
  if (names !== undefined && names.length > 0) {
    const word = names[0]!.toLowerCase();
    if (names.length === 1 && (word === 'none' || word === 'any')) own.people(APPROVALS, word);
    else own.people(APPROVALS, await Promise.all(names.map((name) => own.userId(name))));
  }
  if (filters.approved !== undefined) own.having(APPROVALS, EVERY, filters.approved === 'no');
  if (approvers !== undefined && approvers.length > 0) byApprover(own, idsOrWord('approver_ids', approvers));
}

/** Merge requests with approvers by a rule of their own or, without own rules, by a rule of the project. */
function byApprover(own: OwnFilters, ids: number[] | 'none' | 'any'): void {
  const named = (where: RawBuilder<SqlBool>) => sql<SqlBool>`exists (
    select 1 from approval_rules rule join approval_rule_users about on about.rule_id = rule.id
    where rule.project_id = ${column('project_id')} and ${where}
      and (rule.merge_request_id = ${column('id')} or rule.merge_request_id is null))`;
  if (ids === 'none') own.add(sql<SqlBool>`not ${named(EVERY)}`);
  else if (ids === 'any') own.add(named(EVERY));
  else for (const id of ids) own.add(named(sql<SqlBool>`about.user_id = ${id}`));
}

async function byMerge(own: OwnFilters, filters: MergeRequestFilters): Promise<void> {
  const { merge_user_id, merge_user_username, merged_after, merged_before } = filters;
  const id = merge_user_username === undefined ? merge_user_id : await own.userId(merge_user_username);
  if (id !== undefined) own.equals('merge_user_id', id, true);
  else if (merge_user_username !== undefined) own.add(NOTHING);
  if (merged_after !== undefined) own.add(sql<SqlBool>`${column('merged_at')} >= ${merged_after}`);
  if (merged_before !== undefined) own.add(sql<SqlBool>`${column('merged_at')} <= ${merged_before}`);
}

/**
 * Builds the conditions of the filters of merge requests only.
 * @param projectId project of a list of one project
 * @throws ApiError 400 for invalid lists of users
 */
export async function narrowMergeRequests(
  deps: Deps,
  caller: Caller,
  filters: MergeRequestFilters,
  projectId: number | undefined,
): Promise<Narrowing> {
  const own = new OwnFilters(deps, projectId);
  own.equals('source_branch', filters.source_branch, true);
  own.equals('target_branch', filters.target_branch);
  own.equals('source_project_id', filters.source_project_id, true);
  if (filters.wip !== undefined) own.equals('draft', filters.wip === 'yes' ? 1 : 0);
  await byReviewer(own, filters, caller);
  await byApproval(own, filters);
  await byMerge(own, filters);
  const { deployed_after, deployed_before, environment } = filters;
  if ([deployed_after, deployed_before, environment].some((value) => value !== undefined)) own.add(NOTHING);
  return own;
}
