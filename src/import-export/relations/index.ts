import { GROUP_RELATIONS } from './groups.relation.ts';
import { PROJECT_RELATIONS } from './projects.relation.ts';
import { fileNameOf, type Portable, type Relation } from './relation.ts';

type Kind = Portable['kind'];

const RELATIONS: Readonly<Record<Kind, readonly Relation[]>> = { group: GROUP_RELATIONS, project: PROJECT_RELATIONS };

/** All relations of groups, or of projects, in the order in which they are exported. */
export const relationsOf = (kind: Kind): readonly Relation[] => RELATIONS[kind];

/** Finds a relation by its name. */
export const findRelation = (kind: Kind, name: string): Relation | undefined =>
  RELATIONS[kind].find((relation) => relation.name === name);

/** File name of a relation. */
export function fileNameIn(kind: Kind, name: string): string {
  const relation = findRelation(kind, name);
  return relation === undefined ? name : fileNameOf(relation);
}
