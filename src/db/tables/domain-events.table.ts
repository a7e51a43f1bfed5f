import type { Id, Json, Timestamp } from '../columns.ts';

/** Events, written in the transaction of the change; subscribers read them in order. */
export interface DomainEventsTable {
  id: Id;
  type: string;
  project_id: number | null;
  group_id: number | null;
  actor_id: number | null;
  payload: Json<Record<string, unknown>>;
  created_at: Timestamp;
}
