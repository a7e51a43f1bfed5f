import { parseJson } from '../../db/columns.ts';
import type { Deps } from '../../deps.ts';

/** An account of a chat, as the chat names it when somebody gives a command. */
export interface ChatAccount {
  /** The integration that the chat uses. */
  integration_id: number;
  team_id: string;
  team_domain: string | null;
  chat_id: string;
  chat_name: string | null;
}

const PURPOSE = 'chat_names.link';
/** Milliseconds in which an account can be linked after it was told how. */
const GOOD_MS = 600_000;

/** What whoever gets it proves: that they were told it in the chat, as this account. */
export const linkToken = ({ secrets, clock }: Pick<Deps, 'secrets' | 'clock'>, account: ChatAccount): string =>
  secrets.seal(JSON.stringify({ ...account, until: clock.now().getTime() + GOOD_MS }), PURPOSE);

/** The account that a token was made for; undefined for what is none, or is no good any more. */
export function readLinkToken(
  { secrets, clock }: Pick<Deps, 'secrets' | 'clock'>,
  token: string,
): ChatAccount | undefined {
  const text = secrets.open(token, PURPOSE);
  if (text === null) return undefined;
  const { until, ...account } = parseJson<ChatAccount & { until: number }>(text);
  return until < clock.now().getTime() ? undefined : account;
}
