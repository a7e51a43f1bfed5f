import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Id, Timestamp } from '../columns.ts';

/** What hooks are told of an event, for all of them once. */
export interface WebHookPayloadsTable {
  id: Id;
  /** Null for what was sent to try a hook. */
  event_id: number | null;
  /** Whom it is for: hooks of projects and groups, or system hooks. */
  scope: 'hook' | 'system';
  /** In the order in which an event's are sent, from 0. */
  position: number;
  trigger_name: string;
  /** `Push Hook` and the like. */
  header: string;
  /** Of pushes to a branch: its name. */
  branch: string | null;
  /** JSON, as it is sent; sealed where it may hold secrets. */
  payload: StoredSecret<'web_hook_payloads.payload'>;
  created_at: Timestamp;
}
export type WebHookPayload = Selectable<WebHookPayloadsTable>;
