import type { Timestamp } from '../columns.ts';

export interface LfsObjectsTable {
  project_id: number;
  oid: string;
  size: number;
  created_at: Timestamp;
}
