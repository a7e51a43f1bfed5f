import type { Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';

/** Calls of webhooks and integrations of a server with a test bench, sent or not. */
export interface BenchDeliveriesTable {
  id: Id;
  created_at: Timestamp;
  kind: string;
  hook_id: number | null;
  url: string;
  event: string | null;
  headers: Json<Record<string, string>>;
  body: string;
}
export type BenchDelivery = Selectable<BenchDeliveriesTable>;
