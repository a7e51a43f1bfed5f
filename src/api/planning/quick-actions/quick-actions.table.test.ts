import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetType } from './quick-actions.action.ts';
import { parseQuickActions } from './quick-actions.parse.ts';
import { QUICK_ACTIONS } from './quick-actions.table.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The names of the platform's documentation, by what they are written on. */
const BOTH =
  words(`assign award close copy_metadata done estimate estimate_time label labels lock milestone react reassign
  relabel remove_estimate remove_label remove_milestone remove_time_estimate remove_time_spent reopen spend spend_time spent
  subscribe title todo unassign unlabel unlock unsubscribe`);
const ISSUES =
  words(`blocked_by blocks clear_health_status clear_weight clone confidential create_merge_request due duplicate
  health_status move promote_to promote_to_incident relate remove_due_date severity type unlink weight`);
const MERGE_REQUESTS = words(`approve assign_reviewer draft merge ready reassign_reviewer rebase remove_reviewer
  request_changes request_review reviewer submit_review target_branch unapprove unassign_reviewer`);
const COMMITS = words('tag');
/** About epics, iterations, boards, contacts and the like. */
const OF_NOTHING_HERE =
  words(`add_child add_contacts add_email board_move checkin_reminder child_epic convert_to_ticket epic
  invite_email iteration link page parent_epic promote publish remove_child remove_child_epic remove_contacts remove_email
  remove_epic remove_iteration remove_parent remove_parent_epic remove_zoom set_parent status timeline zoom`);

test('the quick actions of the public list are there, for what they are written on', () => {
  const missing = (names: readonly string[], ...types: readonly TargetType[]) =>
    names.filter((name) => {
      const on = QUICK_ACTIONS.get(name)?.on;
      return on === undefined || types.some((type) => !on.includes(type));
    });
  assert.deepEqual(missing(BOTH, 'Issue', 'MergeRequest'), []);
  assert.deepEqual(missing(ISSUES, 'Issue'), []);
  assert.deepEqual(missing(MERGE_REQUESTS, 'MergeRequest'), []);
  assert.deepEqual(missing(COMMITS, 'Commit'), []);
  assert.deepEqual(missing(OF_NOTHING_HERE, 'Issue', 'MergeRequest'), []);
});

test('none is for what it says nothing of, and the list has them all', () => {
  const on = (name: string) => QUICK_ACTIONS.get(name)!.on;
  assert.deepEqual(
    ISSUES.filter((name) => on(name).includes('MergeRequest')),
    [],
  );
  assert.deepEqual(
    MERGE_REQUESTS.filter((name) => on(name).includes('Issue')),
    [],
  );
  assert.deepEqual(
    [...BOTH, ...ISSUES, ...MERGE_REQUESTS].filter((name) => on(name).includes('Commit')),
    [],
  );
  const listed = new Set([...BOTH, ...ISSUES, ...MERGE_REQUESTS, ...COMMITS, ...OF_NOTHING_HERE]);
  assert.deepEqual(
    [...QUICK_ACTIONS.keys()].filter((name) => !listed.has(name)),
    [],
  );
});

test('/cc, which does nothing, stays text', () => {
  const text = '/cc @ann';
  assert.equal(parseQuickActions(text, (name) => QUICK_ACTIONS.has(name)).text, text);
});
