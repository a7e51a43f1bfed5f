import type { Defaulted, Json, Timestamp } from '../columns.ts';

/** Values of the installation: its id, its settings. */
export interface InstanceValuesTable {
  key: string;
  value: Json<unknown>;
  updated_at: Defaulted<Timestamp>;
}
