import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Id, Json, Timestamp } from '../columns.ts';

/** Webhook calls and their results. */
export interface WebHookLogsTable {
  id: Id;
  hook_id: number;
  payload_id: number | null;
  trigger_name: string;
  /** With the names of its variables, without credentials. */
  url: string;
  /** Digest of the called URL. */
  url_digest: string;
  event_uuid: string;
  idempotency_key: string;
  /** Without secrets. */
  request_headers: Json<Record<string, string>>;
  /** The sent body, if it differs from the payload. */
  request_data: StoredSecret<'web_hook_logs.request_data'> | null;
  /** The status as text; `internal error` if there was no answer. */
  response_status: string;
  response_headers: Json<Record<string, string>>;
  response_body: string;
  /** Duration in seconds. */
  execution_duration: number;
  created_at: Timestamp;
}
