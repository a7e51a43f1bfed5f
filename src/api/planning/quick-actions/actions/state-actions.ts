import { BOTH, mayManage, mayUpdate, type QuickAction, rowOf, typeName } from '../quick-actions.action.ts';

const MAX_TITLE = 255;

/** Quick actions for state, title and lock. */
export const stateActions: readonly QuickAction[] = [
  {
    name: 'close',
    on: BOTH,
    may: async (c) => rowOf(c)?.state === 'opened' && (await mayUpdate(c)),
    evaluate: (c) => ({ message: `Closed this ${typeName(c)}.`, update: { state_event: 'close' } }),
  },
  {
    name: 'reopen',
    on: BOTH,
    may: async (c) => rowOf(c)?.state === 'closed' && (await mayUpdate(c)),
    evaluate: (c) => ({ message: `Reopened this ${typeName(c)}.`, update: { state_event: 'reopen' } }),
  },
  {
    name: 'title',
    on: BOTH,
    requiresArgument: true,
    may: mayUpdate,
    evaluate: (_c, title) =>
      [...title].length > MAX_TITLE
        ? { message: `Title is too long (maximum is ${MAX_TITLE} characters)` }
        : { message: `Changed the title to "${title}".`, update: { title } },
  },
  {
    name: 'lock',
    on: BOTH,
    may: (c) => rowOf(c)?.discussion_locked !== 1 && mayLock(c),
    evaluate: () => ({ message: 'Locked the discussion.', update: { discussion_locked: true } }),
  },
  {
    name: 'unlock',
    on: BOTH,
    may: (c) => rowOf(c)?.discussion_locked === 1 && mayLock(c),
    evaluate: () => ({ message: 'Unlocked the discussion.', update: { discussion_locked: false } }),
  },
];

/** Right to lock the discussion, as in the endpoints; for merge requests it is the right to change them. */
const mayLock: QuickAction['may'] = (c) => (c.type === 'Issue' ? mayManage(c) : mayUpdate(c));
