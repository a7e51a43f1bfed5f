import type { DispatchContext, Handler } from '../dispatch/dispatch-context.ts';
import { hasLabels, isOnBranch, wantsPipeline } from '../dispatch/dispatch-filters.ts';
import { chatMessage } from './chat.message.ts';
import type { ChatMessage } from './chat-message.ts';
import { MARKDOWN, type Style } from './style.ts';

/** Maximum number of channels per event. */
const MAX_CHANNELS = 10;

/** Sends a message to a chat. */
export type ChatPost = (context: DispatchContext, message: ChatMessage) => Promise<unknown>;

/** Handler of a chat: sends events that pass its filters. */
export const chat =
  (post: ChatPost, style: Style = MARKDOWN): Handler =>
  async (context) => {
    if (!(await isOnBranch(context)) || !hasLabels(context)) return;
    if (context.trigger === 'pipeline' && !(await wantsPipeline(context))) return;
    const message = chatMessage(context, style);
    if (message !== undefined) await post(context, message);
  };

/** The channels of a message: those of its event, else the default ones. */
export function channelsFor(
  { text }: Pick<DispatchContext, 'text'>,
  { channel }: ChatMessage,
  limit = MAX_CHANNELS,
): string[] {
  const names = text(`${channel}_channel`) || text('channel');
  return [...new Set(names.split(',').map((name) => name.trim()))].filter(Boolean).slice(0, limit);
}

/** The whole message as one text. */
export const fullText = ({ summary, attachments }: ChatMessage): string =>
  [summary, ...attachments.map(({ title, text }) => (title === undefined ? text : `${title}\n${text}`))]
    .filter(Boolean)
    .join('\n');
