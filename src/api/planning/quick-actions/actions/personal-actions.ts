import { emojiName, emojiNameOf } from '../../award-emoji/award-emoji.names.ts';
import { award, awardsOf, revoke } from '../../award-emoji/award-emoji.writes.ts';
import { setSubscribed, subscribedAmong } from '../../issuables/issuables.subscriptions.ts';
import { addTodos, markTodosDone } from '../../todos/todos.record.ts';
import { BOTH, type Context, type ExecutionContext, type QuickAction, rowOf } from '../quick-actions.action.ts';

/** The issue or merge request, with its type. */
function aboutOf({ issue, mergeRequest }: Pick<Context, 'issue' | 'mergeRequest'>) {
  const row = rowOf({ issue, mergeRequest })!;
  return { type: issue === null ? 'MergeRequest' : 'Issue', id: row.id, projectId: row.project_id, row } as const;
}

/** Whether the caller may subscribe and add a to-do item. */
const mayFollow = (c: Context): boolean =>
  rowOf(c) !== null && c.scope.permissions.can(c.type === 'Issue' ? 'follow_issue' : 'follow_merge_request');

async function isSubscribed(c: Context): Promise<boolean> {
  const { type, row } = aboutOf(c);
  return (await subscribedAmong(c.deps.db, type, [row], c.scope.caller.user.id)).has(row.id);
}

async function hasTodo(c: Context): Promise<boolean> {
  const { type, id } = aboutOf(c);
  const query = c.deps.db
    .selectFrom('todos')
    .select('id')
    .where('user_id', '=', c.scope.caller.user.id)
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .where('state', '=', 'pending');
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

const subscribing = (subscribed: boolean) => async (at: ExecutionContext) => {
  const { type, row } = aboutOf(at);
  await setSubscribed(at.deps, type, row, at.scope.caller.user.id, subscribed);
  return undefined;
};

async function toggle({ deps, scope: { caller }, ...at }: ExecutionContext, name: string): Promise<void> {
  const { type, id, projectId, row } = aboutOf(at);
  const awardable = { type, id, projectId, locked: row.discussion_locked === 1, sealed: false };
  const input = awardsOf(deps.db, awardable).where('user_id', '=', caller.user.id).where('name', '=', name);
  const reaction = await input.executeTakeFirst();
  if (reaction === undefined) await award(deps, caller, awardable, name);
  else await revoke(deps, caller, awardable, reaction);
}

/** `:tada:` followed by anything, or `tada` alone. */
const SHORTCODE = /^(?::(?=[\w+-]{1,100}:)|(?=[\w+-]{1,100}$))([\w+-]+)/;

/** Quick actions about the caller only: to-do items, notifications, reactions. */
export const personalActions: readonly QuickAction[] = [
  {
    name: 'todo',
    on: BOTH,
    may: async (c) => mayFollow(c) && !(await hasTodo(c)),
    evaluate: () => ({
      message: 'Added a to-do item.',
      changes: { todo_event: 'add' },
      inTransaction: async ({ deps, scope, ...at }) => {
        const { id: authorId } = scope.caller.user;
        await addTodos(deps, deps.db, aboutOf(at), 'marked', [authorId], { authorId });
        return undefined;
      },
    }),
  },
  {
    name: 'done',
    on: BOTH,
    may: async (c) => mayFollow(c) && (await hasTodo(c)),
    evaluate: () => ({
      message: 'Marked to-do item as done.',
      changes: { todo_event: 'done' },
      inTransaction: async ({ deps, scope, ...at }) => {
        await markTodosDone(deps, deps.db, aboutOf(at), scope.caller.user.id);
        return undefined;
      },
    }),
  },
  {
    name: 'subscribe',
    on: BOTH,
    may: async (c) => mayFollow(c) && !(await isSubscribed(c)),
    evaluate: () => ({
      message: 'Subscribed to notifications.',
      changes: { subscription_event: 'subscribe' },
      inTransaction: subscribing(true),
    }),
  },
  {
    name: 'unsubscribe',
    on: BOTH,
    may: async (c) => mayFollow(c) && (await isSubscribed(c)),
    evaluate: () => ({
      message: 'Unsubscribed from notifications.',
      changes: { subscription_event: 'unsubscribe' },
      inTransaction: subscribing(false),
    }),
  },
  {
    name: 'react',
    aliases: ['award'],
    on: BOTH,
    requiresArgument: true,
    may: (c) => {
      const row = rowOf(c);
      return row !== null && c.scope.permissions.can('award_emoji', { locked: row.discussion_locked === 1 });
    },
    evaluate: async (_c, argument) => {
      const [, shortcode] = SHORTCODE.exec(argument) ?? [];
      const name = shortcode === undefined ? await emojiNameOf(argument) : await emojiName(shortcode);
      if (name === undefined) return { message: 'Failed to react because no emoji was found.' };
      return {
        message: `Toggled :${shortcode ?? name}: emoji reaction.`,
        changes: { emoji_award: name },
        inTransaction: async (at) => {
          await toggle(at, name);
          return undefined;
        },
      };
    },
  },
];
