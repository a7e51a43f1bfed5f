import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

export const BRANCH_FILTERS = ['wildcard', 'regex', 'all_branches'] as const;
export type BranchFilter = (typeof BRANCH_FILTERS)[number];

/** Addresses that are told what happens in a project, in a group, or, where both are null, on the server: system hooks. */
export interface WebHooksTable {
  id: Id;
  /** What receivers know it by. */
  uuid: string;
  project_id: number | null;
  group_id: number | null;
  name: string | null;
  description: string | null;
  /** What it is told of: `push` and the like. */
  triggers: Json<string[]>;
  branch_filter_strategy: Defaulted<BranchFilter>;
  push_events_branch_filter: string | null;
  enable_ssl_verification: Defaulted<Bit>;
  custom_webhook_template: string | null;
  /** Its address, tokens, variables and headers, sealed: `hook-secrets.ts` reads it. */
  secrets: string;
  /** Calls in a row that failed. */
  failures: Defaulted<number>;
  /** It is not called before this instant. */
  disabled_until: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type WebHook = Selectable<WebHooksTable>;
