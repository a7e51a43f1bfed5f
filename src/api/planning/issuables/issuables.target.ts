import type { Selectable } from 'kysely';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { IssuableColumns, IssuableType } from '../../../db/tables/tables.kinds.ts';

/** An issue or merge request to change, with its (target) project. */
export interface IssuableTarget {
  type: IssuableType;
  id: number;
  project: Project;
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>;
}

/** Old and new value of an attribute, for events; null if nothing changed. */
export type ValueChange<T> = [T, T] | null;

type Touched = Pick<Selectable<IssuableColumns>, 'updated_at' | 'updated_by_id'>;

/** Changes that every update makes: time and author. */
export function changeOfUpdate(before: Touched, after: Touched): Record<string, [unknown, unknown]> {
  return {
    ...(before.updated_at === after.updated_at ? {} : { updated_at: [before.updated_at, after.updated_at] }),
    ...(before.updated_by_id === after.updated_by_id
      ? {}
      : { updated_by_id: [before.updated_by_id, after.updated_by_id] }),
  };
}
