import { postJson } from '../dispatch/dispatch-context.ts';
import { actorName } from '../dispatch/integration-payload.ts';
import { type ChatPost, channelsFor, fullText } from './rooms.ts';

const COLORS: Readonly<Record<string, number>> = { good: 0x0d532a, warning: 0x703800, danger: 0x8d1300 };
const OTHER = 0xfc6d26;
/** Maximum lengths of Discord texts. */
const MAX_TEXT = 4_096;
const MAX_NAME = 256;

const colorOf = (color: string | undefined): number =>
  color === undefined
    ? OTHER
    : (COLORS[color] ?? (/^#[\da-f]{6}$/i.test(color) ? Number.parseInt(color.slice(1), 16) : OTHER));

/** Discord: the channel of an event is a webhook URL of its own. */
export const discord: ChatPost = async (context, message) => {
  const { payload, deps } = context;
  const icon = payload.user?.avatar_url ?? payload.user_avatar;
  const author = { name: actorName(payload).slice(0, MAX_NAME), ...(icon == null ? {} : { icon_url: icon }) };
  const embed = {
    color: colorOf(message.attachments[0]?.color),
    timestamp: deps.clock.now().toISOString(),
    author,
    description: fullText(message).slice(0, MAX_TEXT),
  };
  const [own] = channelsFor(context, message, 1);
  await context.call(postJson(own ?? context.text('webhook'), { content: '', embeds: [embed] }));
};
