import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Chat accounts linked to users, who run commands from the chat. A link is valid for one integration only. */
export interface ChatNamesTable {
  id: Id;
  user_id: number;
  integration_id: number;
  team_id: string;
  team_domain: string | null;
  /** Id of the account in the chat. */
  chat_id: string;
  chat_name: string | null;
  created_at: Timestamp;
  last_used_at: Timestamp | null;
}
export type ChatName = Selectable<ChatNamesTable>;
