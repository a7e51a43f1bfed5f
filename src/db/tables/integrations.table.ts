import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Integrations of projects and groups. A project or group without a row of a kind inherits that of its ancestor. */
export interface IntegrationsTable {
  id: Id;
  /** Null for groups. */
  project_id: number | null;
  /** Null for projects. */
  group_id: number | null;
  /** Kind of the integration: `slack`. */
  slug: string;
  active: Defaulted<Bit>;
  /** Event triggers that were set. */
  flags: DefaultedJson<Record<string, boolean | null>>;
  /** All its settings, encrypted; read by `settings.ts`. */
  settings: string;
  /** Number of consecutive failed attempts. */
  failures: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Integration = Selectable<IntegrationsTable>;
