import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Uploaded files in texts of a project or group; the content is in the blob store. */
export interface UploadsTable {
  id: Id;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  /** 32 hexadecimal digits, part of the URL. */
  secret: string;
  filename: string;
  sha256: string;
  /** Size in bytes. */
  size: number;
  uploaded_by_id: number | null;
  created_at: Timestamp;
}
export type Upload = Selectable<UploadsTable>;
