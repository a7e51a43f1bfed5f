import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Id, Timestamp } from '../columns.ts';

/** External services that report whether merge requests are fine. Without branches a check applies to all. */
export interface ExternalStatusChecksTable {
  id: Id;
  project_id: number;
  name: string;
  external_url: string;
  /** Key that signs requests to it. */
  shared_secret: StoredSecret<'external_status_checks.shared_secret'> | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ExternalStatusCheck = Selectable<ExternalStatusChecksTable>;
