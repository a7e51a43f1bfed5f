import { BOTH, mayManage, mayUpdate, nounOf, type QuickAction, rowOf } from '../action.ts';

const MAX_TITLE = 255;

/** State, title and lock. */
export const stateActions: readonly QuickAction[] = [
  {
    name: 'close',
    on: BOTH,
    may: async (c) => rowOf(c)?.state === 'opened' && (await mayUpdate(c)),
    run: (c) => ({ message: `Closed this ${nounOf(c)}.`, wanted: { state_event: 'close' } }),
  },
  {
    name: 'reopen',
    on: BOTH,
    may: async (c) => rowOf(c)?.state === 'closed' && (await mayUpdate(c)),
    run: (c) => ({ message: `Reopened this ${nounOf(c)}.`, wanted: { state_event: 'reopen' } }),
  },
  {
    name: 'title',
    on: BOTH,
    takes: 'argument',
    may: mayUpdate,
    run: (_c, title) =>
      [...title].length > MAX_TITLE
        ? { message: `Title is too long (maximum is ${MAX_TITLE} characters)` }
        : { message: `Changed the title to "${title}".`, wanted: { title } },
  },
  {
    name: 'lock',
    on: BOTH,
    may: (c) => rowOf(c)?.discussion_locked !== 1 && mayLock(c),
    run: () => ({ message: 'Locked the discussion.', wanted: { discussion_locked: true } }),
  },
  {
    name: 'unlock',
    on: BOTH,
    may: (c) => rowOf(c)?.discussion_locked === 1 && mayLock(c),
    run: () => ({ message: 'Unlocked the discussion.', wanted: { discussion_locked: false } }),
  },
];

/** What the endpoint asks of who locks a discussion: of merge requests it is the right to change them. */
const mayLock: QuickAction['may'] = (c) => (c.type === 'Issue' ? mayManage(c) : mayUpdate(c));
