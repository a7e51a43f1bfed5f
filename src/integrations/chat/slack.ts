import { postForm } from '../dispatch/dispatch-context.ts';
import { type ChatPost, channelsFor } from './rooms.ts';

/** Slack, and Mattermost with the same format: one call per channel. */
export const slack: ChatPost = async (context, message) => {
  const { summary, attachments, card } = message;
  const body = card === undefined ? { text: summary, attachments } : { text: '', attachments: [card] };
  const username = context.text('username');
  const channels = channelsFor(context, message);
  for (const channel of channels.length === 0 ? [undefined] : channels) {
    const payload = {
      ...body,
      ...(channel === undefined ? {} : { channel }),
      ...(username === '' ? {} : { username }),
    };
    await context.call(postForm(context.text('webhook'), { payload: JSON.stringify(payload) }));
  }
};
