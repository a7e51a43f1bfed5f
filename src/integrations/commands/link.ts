import { parseJson } from '../../db/columns.ts';
import type { Deps } from '../../deps.ts';

/** A chat account, as identified in a slash command. */
export interface ChatAccount {
  /** Id of the integration. */
  integration_id: number;
  team_id: string;
  team_domain: string | null;
  chat_id: string;
  chat_name: string | null;
}

const PURPOSE = 'chat_names.link';
/** Validity of a link token, in milliseconds. */
const GOOD_MS = 600_000;

/** Creates a token that proves that its holder received it in the chat, as this account. */
export const linkToken = ({ secrets, clock }: Pick<Deps, 'secrets' | 'clock'>, account: ChatAccount): string =>
  secrets.seal(JSON.stringify({ ...account, until: clock.now().getTime() + GOOD_MS }), PURPOSE);

/** The account of a token; undefined if it is invalid or expired. */
export function readLinkToken(
  { secrets, clock }: Pick<Deps, 'secrets' | 'clock'>,
  token: string,
): ChatAccount | undefined {
  const text = secrets.open(token, PURPOSE);
  if (text === null) return undefined;
  const { until, ...account } = parseJson<ChatAccount & { until: number }>(text);
  return until < clock.now().getTime() ? undefined : account;
}
