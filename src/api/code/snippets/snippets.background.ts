import type { Deps } from '../../../deps.ts';
import { destroySnippetsOfProjects, destroySnippetsOfUser } from './snippets.destroy.ts';

/** Deletes snippets with their projects and authors. */
export function registerSnippetRemoval(deps: Deps): void {
  deps.lifecycle.projectsRemoved.add((db, ids, actorId) => destroySnippetsOfProjects(deps, db, ids, actorId));
  deps.lifecycle.userRemoved.add((db, { id }, { hard, actorId }) => destroySnippetsOfUser(deps, db, id, hard, actorId));
}
