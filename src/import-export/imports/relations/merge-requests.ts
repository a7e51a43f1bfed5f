import { bit } from '../../../db/columns.ts';
import type { Importing, Writer } from '../importing.ts';
import { filled, flag, type Given, instant, isGiven, objects, oneOf, sha } from '../take.ts';
import { writeOwnRules } from './approval-rules.ts';
import { issuableColumns, joined, milestonesFor, passNumbers, writeBelongings } from './issuables.ts';
import { inParts, startedAt } from './rows.ts';

const shaOf = (given: Given): string | null => sha(given.diff_head_sha) ?? sha(given.source_branch_sha);
const removes = ({ merge_params }: Given): boolean =>
  isGiven(merge_params) && [true, '1', 'true'].includes(merge_params.force_remove_source_branch as string);

const REVIEW_STATES = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const;

/** People whom a list names, each once, with what is said of them. */
const onceEach = ({ people }: Importing, list: unknown): [number, Given][] => [
  ...new Map(objects(list).map((each) => [people.of(each.user_id), each])),
];

/** Merge requests with all that belongs to them. Those from forks are kept as what they were: they have no source here. */
export const mergeRequestWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const { people, place } = importing;
    const milestones = await milestonesFor(importing, db, given);
    const known = new Set<string>();
    for (const each of given) {
      const head = shaOf(each);
      if (head !== null && (await importing.hasCommit(head))) known.add(head);
    }
    const rows = await db
      .insertInto('merge_requests')
      .values(
        given.map((each) => {
          const head = shaOf(each);
          const ofFork = each.source_project_id !== each.target_project_id;
          const state = oneOf(each.state, ['opened', 'closed', 'merged']);
          // Nothing can be merged whose branch has not come.
          const open = state === 'opened' && !ofFork && head !== null && known.has(head);
          return {
            ...issuableColumns(importing, each, milestones),
            source_project_id: ofFork ? null : place.id,
            state: state === 'opened' && !open ? ('closed' as const) : state,
            source_branch: filled(each.source_branch, 'source_branch'),
            target_branch: filled(each.target_branch, 'target_branch'),
            draft: flag(each.draft),
            allow_collaboration: flag(each.allow_collaboration),
            squash: flag(each.squash),
            remove_source_branch: bit(removes(each)),
            approvals_before_merge: null,
            head_sha: head !== null && known.has(head) ? head : null,
            latest_diff_id: null,
            merge_error: null,
            merge_after: null,
            merge_user_id: people.maybe(each.merge_user_id),
            merged_at: instant(each.merged_at),
            merge_commit_sha: sha(each.merge_commit_sha),
            squash_commit_sha: sha(each.squash_commit_sha),
            locked_at: null,
            rebase_started_at: null,
            prepared_at: null,
          };
        }),
      )
      .returning(['id', 'iid'])
      .execute();
    await passNumbers(importing, db, 'merge_requests', given);
    const written = joined(rows, given);
    const reviewers = written.flatMap(({ id, given }) =>
      onceEach(importing, given.merge_request_reviewers).map(([user_id, each]) => ({
        merge_request_id: id,
        user_id,
        state: oneOf(each.state, REVIEW_STATES),
        created_at: startedAt(importing, each),
      })),
    );
    await inParts(reviewers, (part) => db.insertInto('merge_request_reviewers').values(part).execute());
    const approvals = written.flatMap(({ id, given }) =>
      onceEach(importing, given.approvals).flatMap(([user_id, each]) => {
        const head_sha = sha(each.head_sha) ?? shaOf(given);
        if (head_sha === null) return [];
        return [{ merge_request_id: id, user_id, head_sha, created_at: startedAt(importing, each) }];
      }),
    );
    await inParts(approvals, (part) => db.insertInto('approvals').values(part).execute());
    await writeOwnRules(importing, db, written);
    await writeBelongings(importing, db, 'MergeRequest', written, 'merge_request_assignees');
  },
};
