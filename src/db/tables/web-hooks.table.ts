import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

export const BRANCH_FILTERS = ['wildcard', 'regex', 'all_branches'] as const;
export type BranchFilter = (typeof BRANCH_FILTERS)[number];

/** Webhooks of projects and groups, and system hooks (both null). */
export interface WebHooksTable {
  id: Id;
  /** Identifies it to receivers. */
  uuid: string;
  project_id: number | null;
  group_id: number | null;
  name: string | null;
  description: string | null;
  /** Its triggers: `push` and the like. */
  triggers: Json<string[]>;
  branch_filter_strategy: Defaulted<BranchFilter>;
  push_events_branch_filter: string | null;
  enable_ssl_verification: Defaulted<Bit>;
  custom_webhook_template: string | null;
  /** Its URL, tokens, variables and headers, encrypted; read by `hook-secrets.ts`. */
  secrets: string;
  /** Number of consecutive failed calls. */
  failures: Defaulted<number>;
  /** It is not called before this instant. */
  disabled_until: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type WebHook = Selectable<WebHooksTable>;
