import { emptyTreeLike } from '../common/index.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { KnownState, PathChanges } from './path-changes.ts';

/** Maximum number of merges traversed synchronously; each requires look-ups in all changes of the path. */
const MAX_STEPS = 50;

/** Git treats an empty folder as absent. */
const isNothing = (state: KnownState | null): state is null => state === null || state.oid === emptyTreeLike(state.oid);

function areSame(one: KnownState | null, other: KnownState | null): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  return one.mode === other.mode && one.oid === other.oid;
}

/**
 * Finds the commit that gave a path its content, by git's history simplification: it follows the first parent with the
 * same content. Reads no objects.
 * @param position of a commit whose changes are known
 * @returns null if no commit ever touched the path; undefined if the search takes longer
 */
export function lastChange(graph: CommitGraph, changes: PathChanges, position: number): number | null | undefined {
  let at = position;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const changed = lastKnown(graph, changes, at);
    if (changed === undefined) return undefined;
    if (!changes.has(changed)) return null;
    const state = changes.stateAt(changed);
    // The path may have been absent before as well, as an empty folder.
    if (!isNothing(state) && !graph.isMerge(changed)) return changed;
    const parents = graph.parents(changed);
    if (parents.length === 0) return isNothing(state) ? null : changed;
    const same = sameParent(graph, changes, parents, state);
    if (same === null) return changed;
    if (same === undefined) return undefined;
    at = same;
  }
  return undefined;
}

/**
 * The last commit along first parents that changed a path, or the end of the line. The commits in between have higher
 * generations, so all of them are known if that one is.
 * @returns undefined if it is unknown, or the path has too many changes
 */
export function lastKnown(graph: CommitGraph, changes: PathChanges, position: number): number | undefined {
  const last = graph.lastOfFirstParents(position, changes);
  return last === null || graph.generation(last) < changes.floor ? undefined : last;
}

/** The first parent with a given state; null if there is none, undefined if it is unknown. */
function sameParent(
  graph: CommitGraph,
  changes: PathChanges,
  parents: readonly number[],
  state: KnownState | null,
): number | null | undefined {
  for (const parent of parents) {
    const last = lastKnown(graph, changes, parent);
    if (last === undefined) return undefined;
    if (areSame(state, changes.stateAt(last))) return parent;
  }
  return null;
}
