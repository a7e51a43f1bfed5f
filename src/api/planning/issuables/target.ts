import type { IssuableType } from '../../../db/tables/kinds.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project } from '../../../db/tables/projects.ts';

/** An issue or merge request that is being changed, with its (target) project. */
export interface IssuableTarget {
  type: IssuableType;
  id: number;
  project: Project;
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>;
}

/** Old and new value of an attribute, as events tell them; null when nothing changed. */
export type ValueChange<T> = [T, T] | null;
