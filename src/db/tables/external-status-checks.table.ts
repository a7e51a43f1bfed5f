import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Id, Timestamp } from '../columns.ts';

/** A service outside that says whether merge requests are fine. Without branches it is for all of them. */
export interface ExternalStatusChecksTable {
  id: Id;
  project_id: number;
  name: string;
  external_url: string;
  /** Signs what is sent to it. */
  shared_secret: StoredSecret<'external_status_checks.shared_secret'> | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ExternalStatusCheck = Selectable<ExternalStatusChecksTable>;
