import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Certificate authorities for SSH access to the projects of a top-level group. */
export interface GroupSshCertificatesTable {
  id: Id;
  group_id: number;
  title: string;
  /** Type and base64, without a comment. */
  key: string;
  /** `SHA256:...` without padding; unique over all groups. */
  fingerprint: string;
  created_at: Timestamp;
}
export type GroupSshCertificate = Selectable<GroupSshCertificatesTable>;
