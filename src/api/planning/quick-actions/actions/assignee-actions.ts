import { holds } from '../../../../access/plan.ts';
import { assigneesFor } from '../../issuables/assignees.ts';
import { BOTH, type Context, mayManage, pluralize, type QuickAction, rowOf } from '../action.ts';
import { mentionsOf, usersOf } from '../users.ts';

/** Assignees of the target as it is. */
async function current(c: Context) {
  const row = rowOf(c);
  if (row === null || c.type === 'Commit') return [];
  return (await assigneesFor(c.deps.db, c.type, [row.id])).get(row.id)!;
}

/** Whether several people can have it. */
export const takesSeveral = ({ plan }: Context): boolean => holds(plan, 'premium');

export const assigneeActions: readonly QuickAction[] = [
  {
    name: 'assign',
    on: BOTH,
    atCreation: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const users = await usersOf(c, argument);
      if (typeof users === 'string') return { message: users };
      if (users.length === 0) return { message: 'Failed to assign a user because no user was found.' };
      const added = takesSeveral(c) ? users : users.slice(0, 1);
      const before = takesSeveral(c) ? (c.update.assignee_ids ?? (await current(c)).map(({ id }) => id)) : [];
      return {
        message: `Assigned ${mentionsOf(added)}.`,
        update: { assignee_ids: [...new Set([...before, ...added.map(({ id }) => id)])] },
      };
    },
  },
  {
    name: 'unassign',
    on: BOTH,
    may: async (c) => mayManage(c) && (await current(c)).length > 0,
    evaluate: async (c, argument) => {
      const users = takesSeveral(c) ? await usersOf(c, argument) : [];
      if (typeof users === 'string') return { message: users };
      const had = await current(c);
      const gone = users.length === 0 ? had : users;
      const kept = (c.update.assignee_ids ?? had.map(({ id }) => id)).filter(
        (id) => users.length > 0 && !users.some((user) => user.id === id),
      );
      return {
        message: `Removed ${pluralize('assignee', gone.length)} ${mentionsOf(gone)}.`,
        update: { assignee_ids: kept },
      };
    },
  },
  {
    name: 'reassign',
    on: BOTH,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const users = await usersOf(c, argument);
      if (typeof users === 'string') return { message: users };
      if (users.length === 0) return { message: 'Failed to assign a user because no user was found.' };
      const assignees = takesSeveral(c) ? users : users.slice(0, 1);
      return {
        message: `Changed assignees to ${mentionsOf(assignees)}.`,
        update: { assignee_ids: assignees.map(({ id }) => id) },
      };
    },
  },
];
