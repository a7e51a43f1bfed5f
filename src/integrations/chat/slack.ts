import { postForm } from '../telling/work.ts';
import { channelsFor, type Post } from './rooms.ts';

/** Slack, and Mattermost, which takes the same: one call for each channel. */
export const slack: Post = async (work, message) => {
  const { summary, attachments, card } = message;
  const body = card === undefined ? { text: summary, attachments } : { text: '', attachments: [card] };
  const username = work.text('username');
  const channels = channelsFor(work, message);
  for (const channel of channels.length === 0 ? [undefined] : channels) {
    const payload = {
      ...body,
      ...(channel === undefined ? {} : { channel }),
      ...(username === '' ? {} : { username }),
    };
    await work.call(postForm(work.text('webhook'), { payload: JSON.stringify(payload) }));
  }
};
