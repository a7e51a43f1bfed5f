import { holds } from '../../../../access/access.plan.ts';
import { assigneesFor } from '../../issuables/assignees.ts';
import { BOTH, type Context, mayManage, pluralize, type QuickAction, rowOf } from '../quick-actions.action.ts';
import { type Eligible, eligibleAmong, mentionsOf, usersOf } from '../quick-actions.users.ts';

/** Current assignees of the target. */
async function current(c: Context) {
  const row = rowOf(c);
  if (row === null || c.type === 'Commit') return [];
  return (await assigneesFor(c.deps.db, c.type, [row.id])).get(row.id)!;
}

/** Whether the plan allows several assignees or reviewers. */
export const allowsMultipleAssignees = ({ plan }: Context): boolean => holds(plan, 'premium');

/** The named users who can be assigned; or the message if there are none. */
async function named(c: Context, argument: string): Promise<Eligible | string> {
  const users = await usersOf(c, argument);
  if (typeof users === 'string') return users;
  if (users.length === 0) return 'Failed to assign a user because no user was found.';
  const eligible = await eligibleAmong(c, allowsMultipleAssignees(c) ? users : users.slice(0, 1), 'Failed to assign');
  return eligible.users.length === 0 ? eligible.failure.trimStart() : eligible;
}

export const assigneeActions: readonly QuickAction[] = [
  {
    name: 'assign',
    on: BOTH,
    atCreation: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const eligible = await named(c, argument);
      if (typeof eligible === 'string') return { message: eligible };
      const before = allowsMultipleAssignees(c)
        ? (c.update.assignee_ids ?? (await current(c)).map(({ id }) => id))
        : [];
      return {
        message: `Assigned ${mentionsOf(eligible.users)}.${eligible.failure}`,
        update: { assignee_ids: [...new Set([...before, ...eligible.users.map(({ id }) => id)])] },
      };
    },
  },
  {
    name: 'unassign',
    on: BOTH,
    may: async (c) => mayManage(c) && (await current(c)).length > 0,
    evaluate: async (c, argument) => {
      const users = allowsMultipleAssignees(c) ? await usersOf(c, argument) : [];
      if (typeof users === 'string') return { message: users };
      const had = await current(c);
      const gone = users.length === 0 ? had : users;
      const remaining = (c.update.assignee_ids ?? had.map(({ id }) => id)).filter(
        (id) => users.length > 0 && !users.some((user) => user.id === id),
      );
      return {
        message: `Removed ${pluralize('assignee', gone.length)} ${mentionsOf(gone)}.`,
        update: { assignee_ids: remaining },
      };
    },
  },
  {
    name: 'reassign',
    on: BOTH,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const eligible = await named(c, argument);
      if (typeof eligible === 'string') return { message: eligible };
      return {
        message: `Changed assignees to ${mentionsOf(eligible.users)}.${eligible.failure}`,
        update: { assignee_ids: eligible.users.map(({ id }) => id) },
      };
    },
  },
];
