import { postJson } from '../dispatch/dispatch-context.ts';
import type { ChatPost } from './rooms.ts';

/** Microsoft Teams: an adaptive card. */
export const teams: ChatPost = async (context, { activity, attachments }) => {
  const { payload } = context;
  const image = payload.user?.avatar_url ?? payload.user_avatar ?? null;
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more });
  const { title, subtitle, text } = activity;
  const columns = [
    ...(image === null
      ? []
      : [{ type: 'Column', width: 'auto', items: [{ type: 'Image', url: image, size: 'Small', style: 'Person' }] }]),
    {
      type: 'Column',
      width: 'stretch',
      items: [
        block(title, { weight: 'Bolder' }),
        ...(subtitle === '' ? [] : [block(subtitle, { isSubtle: true })]),
        ...(text === '' ? [] : [block(text)]),
      ],
    },
  ];
  const content = {
    type: 'AdaptiveCard',
    version: '1.0',
    msteams: { width: 'Full' },
    body: [
      block(payload.project?.name ?? '', { weight: 'Bolder', size: 'Medium' }),
      { type: 'ColumnSet', columns },
      ...attachments.map((attachment) => block(attachment.text)),
    ],
  };
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
  await context.call(postJson(context.text('webhook'), { type: 'message', attachments: [card] }));
};
