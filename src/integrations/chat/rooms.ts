import { hasLabels, isOnBranch, isToldOfPipeline } from '../telling/filters.ts';
import type { Act, Work } from '../telling/work.ts';
import type { ChatMessage } from './chat-message.ts';
import { chatMessage } from './message.ts';
import { MARKDOWN, type Style } from './style.ts';

/** Rooms that one event is told to. */
const MAX_CHANNELS = 10;

/** What a chat does with a message. */
export type Post = (work: Work, message: ChatMessage) => Promise<unknown>;

/** A chat: it is told what its filters let through. */
export const chat =
  (post: Post, style: Style = MARKDOWN): Act =>
  async (work) => {
    if (!(await isOnBranch(work)) || !hasLabels(work)) return;
    if (work.trigger === 'pipeline' && !(await isToldOfPipeline(work))) return;
    const message = chatMessage(work, style);
    if (message !== undefined) await post(work, message);
  };

/** The channels that a message goes to: those of its event, else those for all; none where none is named. */
export function channelsFor({ text }: Pick<Work, 'text'>, { channel }: ChatMessage, most = MAX_CHANNELS): string[] {
  const names = text(`${channel}_channel`) || text('channel');
  return [...new Set(names.split(',').map((name) => name.trim()))].filter(Boolean).slice(0, most);
}

/** All that a message says, as one text. */
export const wholeText = ({ summary, attachments }: ChatMessage): string =>
  [summary, ...attachments.map(({ title, text }) => (title === undefined ? text : `${title}\n${text}`))]
    .filter(Boolean)
    .join('\n');
