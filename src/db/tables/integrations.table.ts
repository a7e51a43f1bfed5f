import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Other programs that a project or a group works with. What has no row of a kind inherits that of the group above. */
export interface IntegrationsTable {
  id: Id;
  /** Null where it is a group's. */
  project_id: number | null;
  /** Null where it is a project's. */
  group_id: number | null;
  /** Its kind: `slack`. */
  slug: string;
  active: Defaulted<Bit>;
  /** What it is told of, where that was said. */
  flags: DefaultedJson<Record<string, boolean | null>>;
  /** All that was set up of it, sealed: `settings.ts` reads it. */
  settings: string;
  /** Attempts in a row in which it was not reached. */
  failures: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Integration = Selectable<IntegrationsTable>;
