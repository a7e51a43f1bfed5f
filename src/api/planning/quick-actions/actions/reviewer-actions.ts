import type { User } from '../../../../db/tables/users.table.ts';
import { reviewersFor } from '../../merge-requests/requests/merge-requests.view-rows.ts';
import { rerequestReview } from '../../merge-requests/requests/reviewers.ts';
import { type Context, MERGE_REQUESTS, mayManage, pluralize, type QuickAction } from '../quick-actions.action.ts';
import { type Eligible, eligibleAmong, mentionsOf, usersOf } from '../quick-actions.users.ts';
import { allowsMultipleAssignees } from './assignee-actions.ts';

async function current({ deps, mergeRequest }: Context): Promise<User[]> {
  return mergeRequest === null ? [] : (await reviewersFor(deps.db, [mergeRequest.id])).get(mergeRequest.id)!;
}

const idsOf = (users: readonly User[]): number[] => users.map(({ id }) => id);

/** The named users who can be reviewers; or the message if there are none. */
async function named(c: Context, argument: string, nobody: string): Promise<Eligible | string> {
  const users = await usersOf(c, argument);
  if (typeof users === 'string') return users;
  if (users.length === 0) return nobody;
  const eligible = await eligibleAmong(
    c,
    allowsMultipleAssignees(c) ? users : users.slice(0, 1),
    'Failed to request a review from',
  );
  return eligible.users.length === 0 ? eligible.failure.trimStart() : eligible;
}

async function unionOf(c: Context, users: readonly User[]): Promise<number[]> {
  const before = allowsMultipleAssignees(c) ? (c.update.reviewer_ids ?? idsOf(await current(c))) : [];
  return [...new Set([...before, ...idsOf(users)])];
}

export const reviewerActions: readonly QuickAction[] = [
  {
    name: 'assign_reviewer',
    aliases: ['reviewer'],
    on: MERGE_REQUESTS,
    atCreation: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const eligible = await named(c, argument, 'Failed to assign a reviewer because no user was specified.');
      if (typeof eligible === 'string') return { message: eligible };
      const { users, failure } = eligible;
      return {
        message: `Assigned ${mentionsOf(users)} as ${pluralize('reviewer', users.length)}.${failure}`,
        update: { reviewer_ids: await unionOf(c, users) },
      };
    },
  },
  {
    name: 'request_review',
    on: MERGE_REQUESTS,
    atCreation: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const eligible = await named(c, argument, 'Failed to request a review because no user was specified.');
      if (typeof eligible === 'string') return { message: eligible };
      const { users, failure } = eligible;
      const message = `Requested a review from ${mentionsOf(users)}.${failure}`;
      const had = await current(c);
      const again = users.filter(({ id }) => had.some((user) => user.id === id));
      if (again.length === 0) return { message, update: { reviewer_ids: await unionOf(c, users) } };
      return {
        message,
        update: { reviewer_ids: await unionOf(c, users) },
        inTransaction: async ({ deps, scope, mergeRequest }) => {
          await rerequestReview(deps, deps.db, mergeRequest!, again, scope.caller.user.id);
          return undefined;
        },
      };
    },
  },
  {
    name: 'reassign_reviewer',
    on: MERGE_REQUESTS,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const eligible = await named(c, argument, 'Failed to assign a reviewer because no user was specified.');
      if (typeof eligible === 'string') return { message: eligible };
      const { users, failure } = eligible;
      return {
        message: `Changed reviewers to ${mentionsOf(users)}.${failure}`,
        update: { reviewer_ids: idsOf(users) },
      };
    },
  },
  {
    name: 'unassign_reviewer',
    aliases: ['remove_reviewer'],
    on: MERGE_REQUESTS,
    may: async (c) => mayManage(c) && ((await current(c)).length > 0 || (c.update.reviewer_ids ?? []).length > 0),
    evaluate: async (c, argument) => {
      const users = allowsMultipleAssignees(c) ? await usersOf(c, argument) : [];
      if (typeof users === 'string') return { message: users };
      const had = await current(c);
      const gone = users.length === 0 ? had : users;
      const remaining = (c.update.reviewer_ids ?? idsOf(had)).filter(
        (id) => users.length > 0 && !users.some((user) => user.id === id),
      );
      return {
        message: `Removed ${pluralize('reviewer', gone.length)} ${mentionsOf(gone)}.`,
        update: { reviewer_ids: remaining },
      };
    },
  },
];
