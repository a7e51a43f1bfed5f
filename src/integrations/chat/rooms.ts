import type { DispatchContext, Handler } from '../dispatch/dispatch-context.ts';
import { hasLabels, isOnBranch, wantsPipeline } from '../dispatch/dispatch-filters.ts';
import { chatMessage } from './chat.message.ts';
import type { ChatMessage } from './chat-message.ts';
import { MARKDOWN, type Style } from './style.ts';

/** Rooms that one event is told to. */
const MAX_CHANNELS = 10;

/** What a chat does with a message. */
export type ChatPost = (context: DispatchContext, message: ChatMessage) => Promise<unknown>;

/** A chat: it is told what its filters let through. */
export const chat =
  (post: ChatPost, style: Style = MARKDOWN): Handler =>
  async (context) => {
    if (!(await isOnBranch(context)) || !hasLabels(context)) return;
    if (context.trigger === 'pipeline' && !(await wantsPipeline(context))) return;
    const message = chatMessage(context, style);
    if (message !== undefined) await post(context, message);
  };

/** The channels that a message goes to: those of its event, else those for all; none where none is named. */
export function channelsFor(
  { text }: Pick<DispatchContext, 'text'>,
  { channel }: ChatMessage,
  limit = MAX_CHANNELS,
): string[] {
  const names = text(`${channel}_channel`) || text('channel');
  return [...new Set(names.split(',').map((name) => name.trim()))].filter(Boolean).slice(0, limit);
}

/** All that a message says, as one text. */
export const wholeText = ({ summary, attachments }: ChatMessage): string =>
  [summary, ...attachments.map(({ title, text }) => (title === undefined ? text : `${title}\n${text}`))]
    .filter(Boolean)
    .join('\n');
