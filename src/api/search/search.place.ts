import type { UserCaller } from '../../access/caller.ts';
import type { BaseContext } from '../../http/http.route.ts';
import type { GroupScope, ProjectScope } from '../api.access.ts';
import type { SearchInput } from './search.inputs.ts';

/** Where something is searched for. */
export type SearchPlace =
  | { kind: 'everywhere' }
  | ({ kind: 'group' } & GroupScope)
  | ({ kind: 'project' } & ProjectScope);

/** A search in a place. */
export interface Search {
  c: BaseContext;
  caller: UserCaller;
  place: SearchPlace;
  input: SearchInput;
}

/** Projects of a search outside a single project, as filters of lists have them. */
export interface ProjectsFilter {
  /** Lineage of the group. */
  below?: string;
  nonArchived: boolean;
}

/** Which projects the search covers; a project that is named is searched even if it is archived. */
export function projectsFilter({ place, input }: Search): ProjectsFilter {
  if (place.kind === 'project') return { nonArchived: false };
  const nonArchived = input.include_archived !== true;
  return place.kind === 'group' ? { below: place.group.lineage, nonArchived } : { nonArchived };
}
