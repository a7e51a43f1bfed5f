import { base, postJson } from '../dispatch/dispatch-context.ts';
import { type ChatPost, fullText } from './rooms.ts';

const MATRIX = 'https://matrix-client.matrix.org';
const TELEGRAM = 'https://api.telegram.org';
/** Maximum length of a Telegram message. */
const MAX_TELEGRAM = 4_096;

/** Google Chat: messages of one conversation are in one thread. */
export const hangouts: ChatPost = async (context, message) => {
  const url = new URL(context.text('webhook'));
  url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
  await context.call(postJson(url.href, { text: fullText(message), thread: { threadKey: message.thread } }));
};

/** Escapes Webex mentions such as `<@all>`, so that nobody is notified. */
const unnamed = (text: string): string => text.replaceAll('<@', '&lt;@');

export const webex: ChatPost = (context, { summary }) =>
  context.call(postJson(context.text('webhook'), { markdown: unnamed(summary) }));

export const pumble: ChatPost = (context, { summary }) =>
  context.call(postJson(context.text('webhook'), { text: summary }));

export const unifyCircuit: ChatPost = (context, { summary }) =>
  context.call(
    postJson(context.text('webhook'), { subject: context.payload.project?.name ?? '', text: summary, markdown: true }),
  );

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Converts links and bold text of a message to HTML; everything else is escaped. */
export const htmlOf = (text: string): string =>
  text
    .replace(/[&<>"]/g, (sign) => HTML[sign]!)
    .replace(/\[((?:\\.|[^[\]\\])*)\]\((https?:[^\s)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*([^*\n]+)\*/g, '<strong>$1</strong>')
    .replace(/\\([[\]\\])/g, '$1')
    .replaceAll('\n', '<br>');

/** Matrix: retries use the same transaction id, so that a message is posted once. */
export const matrix: ChatPost = async (context, message) => {
  const room = encodeURIComponent(context.text('room'));
  const text = fullText(message);
  const url = `${base(context.text('hostname') || MATRIX)}/_matrix/client/v3/rooms/${room}/send/m.room.message/${context.idempotencyKey}`;
  const body = { msgtype: 'm.notice', body: text, format: 'org.matrix.custom.html', formatted_body: htmlOf(text) };
  await context.call({
    ...postJson(url, body, { Authorization: `Bearer ${context.text('token')}` }),
    method: 'PUT',
  });
};

/** Telegram: a message with invalid Markdown is sent again as plain text. */
export const telegram: ChatPost = async (context, message) => {
  const url = `${base(context.text('hostname') || TELEGRAM)}/bot${context.text('token')}/sendMessage`;
  const thread = context.text('thread');
  const body = {
    chat_id: context.text('room'),
    ...(thread === '' ? {} : { message_thread_id: thread }),
    text: fullText(message).slice(0, MAX_TELEGRAM),
  };
  const { status } = await context.call(postJson(url, { ...body, parse_mode: 'markdown' }));
  if (status === 400) await context.call(postJson(url, body));
};
