import { includesPlan } from '../../../../access/access.plan.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import { assigneesFor } from '../../issuables/assignees.ts';
import { rerequestReview } from '../../merge-requests/requests/reviewers.ts';
import { reviewersFor } from '../../merge-requests/views/merge-requests.view-rows.ts';
import {
  BOTH,
  type Context,
  type IssuableUpdate,
  MERGE_REQUESTS,
  mayManage,
  type Outcome,
  pluralize,
  type QuickAction,
  rowOf,
} from '../quick-actions.action.ts';
import { eligibleAmong, mentionsOf, usersOf } from '../quick-actions.users.ts';

/** What people can be to the target of quick actions. */
interface Role {
  name: 'assignee' | 'reviewer';
  on: QuickAction['on'];
  /** Beginning of the message about those who cannot be it. */
  failed: string;
  current(c: Context): Promise<User[]>;
  /** Their ids by the quick actions before. */
  asked(update: IssuableUpdate): number[] | undefined;
  update(ids: number[]): IssuableUpdate;
}

const ASSIGNEE: Role = {
  name: 'assignee',
  on: BOTH,
  failed: 'Failed to assign',
  current: async (c) => {
    const row = rowOf(c);
    if (row === null || c.type === 'Commit') return [];
    return (await assigneesFor(c.deps.db, c.type, [row.id])).get(row.id)!;
  },
  asked: ({ assignee_ids }) => assignee_ids,
  update: (assignee_ids) => ({ assignee_ids }),
};

const REVIEWER: Role = {
  name: 'reviewer',
  on: MERGE_REQUESTS,
  failed: 'Failed to request a review from',
  current: async ({ deps, mergeRequest }) =>
    mergeRequest === null ? [] : (await reviewersFor(deps.db, [mergeRequest.id])).get(mergeRequest.id)!,
  asked: ({ reviewer_ids }) => reviewer_ids,
  update: (reviewer_ids) => ({ reviewer_ids }),
};

const idsOf = (users: readonly User[]): number[] => users.map(({ id }) => id);

/** Whether the plan allows several assignees or reviewers. */
const allowsSeveral = ({ plan }: Context): boolean => includesPlan(plan, 'premium');

interface Adding extends Pick<QuickAction, 'name' | 'aliases' | 'atCreation' | 'requiresArgument'> {
  role: Role;
  /** The message if nobody is named. */
  nobody: string;
  message(users: readonly User[]): string;
  /** Whether the named users replace the others, instead of joining them. */
  replaces?: true;
  /** What else is done. */
  also?(c: Context, users: readonly User[]): Promise<Outcome>;
}

/** An action that makes the named users assignees or reviewers. */
const adding = ({ role, nobody, message, replaces, also, ...action }: Adding): QuickAction => ({
  ...action,
  on: role.on,
  may: mayManage,
  evaluate: async (c, argument) => {
    const named = await usersOf(c, argument);
    if (typeof named === 'string') return { message: named };
    if (named.length === 0) return { message: nobody };
    const several = allowsSeveral(c);
    const { users, failure } = await eligibleAmong(c, several ? named : named.slice(0, 1), role.failed);
    if (users.length === 0) return { message: failure.trimStart() };
    const joins = several && replaces !== true;
    const before = joins ? (role.asked(c.update) ?? idsOf(await role.current(c))) : [];
    return {
      message: `${message(users)}.${failure}`,
      update: role.update([...new Set([...before, ...idsOf(users)])]),
      ...(await also?.(c, users)),
    };
  },
});

/** An action that removes the named assignees or reviewers, or all. */
const removing = (role: Role, action: Pick<QuickAction, 'name' | 'aliases' | 'may'>): QuickAction => ({
  ...action,
  on: role.on,
  evaluate: async (c, argument) => {
    const users = allowsSeveral(c) ? await usersOf(c, argument) : [];
    if (typeof users === 'string') return { message: users };
    const had = await role.current(c);
    const gone = users.length === 0 ? had : users;
    const remaining = (role.asked(c.update) ?? idsOf(had)).filter(
      (id) => users.length > 0 && !users.some((user) => user.id === id),
    );
    return {
      message: `Removed ${pluralize(role.name, gone.length)} ${mentionsOf(gone)}.`,
      update: role.update(remaining),
    };
  },
});

/** Requests a review again from those who are reviewers already. */
async function reviewAgain(c: Context, users: readonly User[]): Promise<Outcome> {
  const had = await REVIEWER.current(c);
  const again = users.filter(({ id }) => had.some((user) => user.id === id));
  if (again.length === 0) return {};
  return {
    inTransaction: async ({ deps, scope, mergeRequest }) => {
      await rerequestReview(deps, deps.db, mergeRequest!, again, scope.caller.user.id);
      return undefined;
    },
  };
}

const NO_ASSIGNEE = 'Failed to assign a user because no user was found.';
const NO_REVIEWER = 'Failed to assign a reviewer because no user was specified.';

export const assigneeActions: readonly QuickAction[] = [
  adding({
    role: ASSIGNEE,
    name: 'assign',
    atCreation: true,
    nobody: NO_ASSIGNEE,
    message: (users) => `Assigned ${mentionsOf(users)}`,
  }),
  removing(ASSIGNEE, { name: 'unassign', may: async (c) => mayManage(c) && (await ASSIGNEE.current(c)).length > 0 }),
  adding({
    role: ASSIGNEE,
    name: 'reassign',
    requiresArgument: true,
    nobody: NO_ASSIGNEE,
    replaces: true,
    message: (users) => `Changed assignees to ${mentionsOf(users)}`,
  }),
];

export const reviewerActions: readonly QuickAction[] = [
  adding({
    role: REVIEWER,
    name: 'assign_reviewer',
    aliases: ['reviewer'],
    atCreation: true,
    nobody: NO_REVIEWER,
    message: (users) => `Assigned ${mentionsOf(users)} as ${pluralize('reviewer', users.length)}`,
  }),
  adding({
    role: REVIEWER,
    name: 'request_review',
    atCreation: true,
    nobody: 'Failed to request a review because no user was specified.',
    message: (users) => `Requested a review from ${mentionsOf(users)}`,
    also: reviewAgain,
  }),
  adding({
    role: REVIEWER,
    name: 'reassign_reviewer',
    requiresArgument: true,
    nobody: NO_REVIEWER,
    replaces: true,
    message: (users) => `Changed reviewers to ${mentionsOf(users)}`,
  }),
  removing(REVIEWER, {
    name: 'unassign_reviewer',
    aliases: ['remove_reviewer'],
    may: async (c) =>
      mayManage(c) && ((await REVIEWER.current(c)).length > 0 || (c.update.reviewer_ids ?? []).length > 0),
  }),
];
