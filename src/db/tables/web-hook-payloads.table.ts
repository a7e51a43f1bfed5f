import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Id, Timestamp } from '../columns.ts';

/** Payloads of events, shared by all webhooks. */
export interface WebHookPayloadsTable {
  id: Id;
  /** Null for test requests. */
  event_id: number | null;
  /** Receivers: webhooks of projects and groups, or system hooks. */
  scope: 'hook' | 'system';
  /** Order of the payloads of an event, from 0. */
  position: number;
  trigger_name: string;
  /** `Push Hook` and the like. */
  header: string;
  /** For pushes to a branch: its name. */
  branch: string | null;
  /** JSON as sent; encrypted if it may contain secrets. */
  payload: StoredSecret<'web_hook_payloads.payload'>;
  created_at: Timestamp;
}
export type WebHookPayload = Selectable<WebHookPayloadsTable>;
