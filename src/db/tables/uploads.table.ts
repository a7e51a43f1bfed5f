import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Files that texts of a project or group refer to; the bytes are in the blob store. */
export interface UploadsTable {
  id: Id;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  /** 32 hexadecimal digits, a part of the address. */
  secret: string;
  filename: string;
  sha256: string;
  /** Bytes. */
  size: number;
  uploaded_by_id: number | null;
  created_at: Timestamp;
}
export type Upload = Selectable<UploadsTable>;
