import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface LabelsTable {
  id: Id;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  /** `#rrggbb` or `#rgb`. */
  color: string;
  description: string | null;
  archived: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Label = Selectable<LabelsTable>;

export const labelsOwnership: Ownership<LabelsTable> = { called: 'Label', ofGroup: 'group_id' };
