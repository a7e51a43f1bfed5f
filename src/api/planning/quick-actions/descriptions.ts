import { transactionDeps } from '../../../access/transaction-deps.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { Origin } from '../../user-agent.ts';
import type { FollowUp } from '../issues/follow-up.ts';
import { createIssue } from '../issues/issues.create.ts';
import type { IssueInput } from '../issues/issues.inputs.ts';
import { updateIssue } from '../issues/issues.update.ts';
import { type Created, createMergeRequest, findTarget } from '../merge-requests/requests/merge-requests.create.ts';
import {
  assigneeIds,
  type CreateMergeRequest,
  type UpdateMergeRequest,
} from '../merge-requests/requests/merge-requests.inputs.ts';
import { updateMergeRequest } from '../merge-requests/requests/merge-requests.update.ts';
import { isDraftTitle } from '../merge-requests/requests/title.ts';
import { issueInput, mergeRequestInput } from './issuable-update.ts';
import { reviewWriter } from './quick-actions.comment.ts';
import { type Execution, executeActions, finish } from './quick-actions.execute.ts';
import { type Prepared, prepare } from './quick-actions.prepare.ts';

const NEW_ISSUE = { type: 'Issue', issue: null, mergeRequest: null, sha: null } as const;
const NEW_MERGE_REQUEST = { ...NEW_ISSUE, type: 'MergeRequest' } as const;

/** Runs the quick actions of a change, in its transaction and after it. */
class ActionRun {
  readonly #deps: Deps;
  readonly #scope: UserScope;
  readonly #prepared: Prepared;
  #execution: Execution | undefined;

  constructor(deps: Deps, scope: UserScope, prepared: Prepared) {
    this.#deps = deps;
    this.#scope = scope;
    this.#prepared = prepared;
  }

  /** @param row the created or changed row */
  within = async (db: Db, row: Partial<Pick<Prepared['target'], 'issue' | 'mergeRequest'>>): Promise<void> => {
    const prepared = { ...this.#prepared, target: { ...this.#prepared.target, ...row } };
    const { write } = reviewWriter(this.#scope);
    this.#execution = await executeActions(transactionDeps(this.#deps, db), this.#scope, prepared, {
      updateApplied: true,
      write,
    });
  };

  async after(): Promise<void> {
    if (this.#execution !== undefined) await finish(this.#deps, this.#scope, this.#execution);
  }
}

const peopleOf = (ids: number[] | null | undefined) => (ids == null ? {} : { assignee_ids: ids });

const issueAttributesOf = ({ assignee_id, assignee_ids, issue_type }: IssueInput) => ({
  ...peopleOf(assignee_id === undefined ? assignee_ids : [assignee_id ?? 0].filter((id) => id > 0)),
  ...(issue_type === 'incident' ? { issue_type } : {}),
});

/** Merges the update of quick actions into the input; quick actions take precedence. */
function mergeInput(input: IssueInput, prepared: Prepared): IssueInput {
  const { assignee_id, ...rest } = input;
  const update = issueInput(prepared);
  return {
    ...rest,
    ...update,
    ...(update.assignee_ids === undefined && assignee_id !== undefined ? { assignee_id } : {}),
    description: prepared.text,
    ...mergeLabels(input, update),
  };
}

type LabelChanges = Pick<IssueInput, 'add_labels' | 'remove_labels'>;

/** Merges labels to add or remove with those of the request. */
const mergeLabels = (input: LabelChanges, { add_labels: add, remove_labels: remove }: LabelChanges): LabelChanges => ({
  ...(add === undefined ? {} : { add_labels: [...(input.add_labels ?? []), ...add] }),
  ...(remove === undefined ? {} : { remove_labels: [...(input.remove_labels ?? []), ...remove] }),
});

const reloadIssue = (db: Db, { id }: Issue): Promise<Issue> =>
  db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Creates an issue and executes quick actions in its description. @throws ApiError as `createIssue` */
export async function createIssueWithActions(
  deps: Deps,
  scope: UserScope,
  input: IssueInput & { title: string },
  origin: Origin,
  follow: FollowUp | null = null,
): Promise<Issue> {
  const prepared = await prepare(deps, scope, NEW_ISSUE, input.description ?? '', {
    attributes: issueAttributesOf(input),
  });
  if (prepared === null) return createIssue(deps, scope, input, origin, follow);
  const run = new ActionRun(deps, scope, prepared);
  const attributes = { ...mergeInput(input, prepared), title: input.title };
  const made = await createIssue(deps, scope, attributes, origin, follow, (db, issue) => run.within(db, { issue }));
  await run.after();
  return reloadIssue(deps.db, made);
}

/** Changes an issue and executes quick actions in its description. @throws ApiError as `updateIssue` */
export async function updateIssueWithActions(
  deps: Deps,
  scope: UserScope,
  issue: Issue,
  input: IssueInput,
): Promise<Issue> {
  const target = { ...NEW_ISSUE, issue: issue };
  const options = { original: issue.description, attributes: issueAttributesOf(input) };
  const prepared = await prepare(deps, scope, target, input.description ?? '', options);
  if (prepared === null) return updateIssue(deps, scope, issue, input);
  const run = new ActionRun(deps, scope, prepared);
  const changed = await updateIssue(deps, scope, issue, mergeInput(input, prepared), (db) => run.within(db, {}));
  await run.after();
  return reloadIssue(deps.db, changed);
}

const mergeRequestAttributesOf = (input: UpdateMergeRequest) => ({
  ...peopleOf(assigneeIds(input)),
  ...(input.reviewer_ids == null ? {} : { reviewer_ids: input.reviewer_ids.filter((id) => id > 0) }),
});

/** Creates a merge request and executes quick actions in its description. @throws ApiError as `createMergeRequest` */
export async function createMergeRequestWithActions(
  deps: Deps,
  from: UserScope,
  input: CreateMergeRequest,
): Promise<Created> {
  if (!input.description?.includes('/')) return createMergeRequest(deps, from, input);
  const scope = await findTarget(deps, from, input.target_project_id);
  const options = { attributes: mergeRequestAttributesOf(input) };
  const prepared = await prepare(deps, scope, NEW_MERGE_REQUEST, input.description, options);
  if (prepared === null) return createMergeRequest(deps, from, input);
  const run = new ActionRun(deps, scope, prepared);
  const update = mergeRequestInput(prepared, input.title);
  const attributes = { ...input, ...update, description: prepared.text, ...mergeLabels(input, update) };
  const made = await createMergeRequest(deps, from, attributes, (db, mergeRequest) => run.within(db, { mergeRequest }));
  await run.after();
  return { ...made, row: await reloadMergeRequest(deps.db, made.row) };
}

const reloadMergeRequest = (db: Db, { id }: MergeRequest): Promise<MergeRequest> =>
  db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Changes a merge request and executes quick actions in its description. @throws ApiError as `updateMergeRequest` */
export async function updateMergeRequestWithActions(
  deps: Deps,
  scope: UserScope,
  row: MergeRequest,
  input: UpdateMergeRequest,
): Promise<MergeRequest> {
  const title = input.title ?? row.title;
  // Changes of the request itself are applied first.
  const target = { ...NEW_MERGE_REQUEST, mergeRequest: { ...row, title, draft: bit(isDraftTitle(title)) } };
  const options = { original: row.description, attributes: mergeRequestAttributesOf(input) };
  const prepared = await prepare(deps, scope, target, input.description ?? '', options);
  if (prepared === null) return updateMergeRequest(deps, scope, row, input);
  const run = new ActionRun(deps, scope, prepared);
  const update = mergeRequestInput(prepared, title);
  const attributes = { ...input, ...update, description: prepared.text, ...mergeLabels(input, update) };
  const changed = await updateMergeRequest(deps, scope, row, attributes, (db) => run.within(db, {}));
  await run.after();
  return reloadMergeRequest(deps.db, changed);
}
