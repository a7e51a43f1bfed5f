import type { Defaulted } from '../columns.ts';

export interface ProjectTopicsTable {
  project_id: number;
  topic_id: number;
  /** Its position among the topics of the project. */
  position: Defaulted<number>;
}
