import type { Id, Json, Timestamp } from '../columns.ts';

/** What happened, written in the transaction that made it happen; subscribers read it in order. */
export interface DomainEventsTable {
  id: Id;
  type: string;
  project_id: number | null;
  group_id: number | null;
  actor_id: number | null;
  payload: Json<Record<string, unknown>>;
  created_at: Timestamp;
}
