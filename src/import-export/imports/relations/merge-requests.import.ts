import { bit } from '../../../db/columns.ts';
import {
  coerceFlag,
  coerceInstant,
  coerceInteger,
  coerceObjects,
  coerceOneOf,
  coerceSha,
  type ImportedObject,
  isImportedObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { writeOwnRules } from './approval-rules.import.ts';
import { issuableColumns, joinRows, milestonesFor, reserveIids, writeAssociations } from './issuables.import.ts';
import { insertInBatches, startedAt } from './rows.ts';

const shaOf = (object: ImportedObject): string | null =>
  coerceSha(object.diff_head_sha) ?? coerceSha(object.source_branch_sha);
const removes = ({ merge_params }: ImportedObject): boolean =>
  isImportedObject(merge_params) && [true, '1', 'true'].includes(merge_params.force_remove_source_branch as string);

/** Maximum number of required approvals. */
const MAX_APPROVALS = 100;
const REVIEW_STATES = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const;

/** Users of a list without duplicates, with their objects. */
const onceEach = ({ users }: ImportContext, list: unknown): [number, ImportedObject][] => [
  ...new Map(coerceObjects(list).map((each) => [users.of(each.user_id), each])),
];

/** Imports merge requests with their associations. Those from forks have no source project here. */
export const mergeRequestWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const { users, place } = context;
    const milestones = await milestonesFor(context, db, object);
    const known = new Set<string>();
    for (const each of object) {
      const head = shaOf(each);
      if (head !== null && (await context.hasCommit(head))) known.add(head);
    }
    const rows = await db
      .insertInto('merge_requests')
      .values(
        object.map((each) => {
          const head = shaOf(each);
          const ofFork = each.source_project_id !== each.target_project_id;
          const state = coerceOneOf(each.state, ['opened', 'closed', 'merged']);
          // A merge request without its source branch cannot be open.
          const open = state === 'opened' && !ofFork && head !== null && known.has(head);
          return {
            ...issuableColumns(context, each, milestones),
            source_project_id: ofFork ? null : place.id,
            state: state === 'opened' && !open ? ('closed' as const) : state,
            source_branch: requireText(each.source_branch, 'source_branch'),
            target_branch: requireText(each.target_branch, 'target_branch'),
            draft: coerceFlag(each.draft),
            allow_collaboration: coerceFlag(each.allow_collaboration),
            squash: coerceFlag(each.squash),
            remove_source_branch: bit(removes(each)),
            approvals_before_merge: coerceInteger(each.approvals_before_merge, 0, MAX_APPROVALS),
            head_sha: head !== null && known.has(head) ? head : null,
            latest_diff_id: null,
            merge_error: null,
            merge_after: null,
            merge_user_id: users.ofOptional(each.merge_user_id),
            merged_at: coerceInstant(each.merged_at),
            merge_commit_sha: coerceSha(each.merge_commit_sha),
            squash_commit_sha: coerceSha(each.squash_commit_sha),
            locked_at: null,
            rebase_started_at: null,
            prepared_at: null,
          };
        }),
      )
      .returning(['id', 'iid'])
      .execute();
    await reserveIids(context, db, 'merge_requests', object);
    const written = joinRows(rows, object);
    const reviewers = written.flatMap(({ id, object }) =>
      onceEach(context, object.merge_request_reviewers).map(([user_id, each]) => ({
        merge_request_id: id,
        user_id,
        state: coerceOneOf(each.state, REVIEW_STATES),
        created_at: startedAt(context, each),
      })),
    );
    await insertInBatches(reviewers, (part) => db.insertInto('merge_request_reviewers').values(part).execute());
    const approvals = written.flatMap(({ id, object }) =>
      onceEach(context, object.approvals).flatMap(([user_id, each]) => {
        const head_sha = coerceSha(each.head_sha) ?? shaOf(object);
        if (head_sha === null) return [];
        return [{ merge_request_id: id, user_id, head_sha, created_at: startedAt(context, each) }];
      }),
    );
    await insertInBatches(approvals, (part) => db.insertInto('approvals').values(part).execute());
    await writeOwnRules(context, db, written);
    await writeAssociations(context, db, 'MergeRequest', written, 'merge_request_assignees');
  },
};
