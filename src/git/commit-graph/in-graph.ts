import { encodeBytes } from '../common/index.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { History } from './history.ts';
import { waitEnd } from './index-wait.ts';
import { lastChange, lastKnown } from './last-change.ts';
import { type KnownState, PathChanges } from './path-changes.ts';

/** Knowledge of the path indexes about a path. */
interface Known {
  graph: CommitGraph;
  changes: PathChanges;
  /** Position of the requested commit. */
  position: number;
}

/**
 * Returns null if the indexes do not cover the path, `many` if reading trees is faster.
 * @param path without leading and trailing slashes
 */
export async function graphStateOf(history: History, oid: string, path: string): Promise<Known | 'many' | null> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  if (position < 0) return null;
  const changes = await PathChanges.ofFew(graph!.layers, encodeBytes(path));
  if (changes === null) return 'many';
  return position >= changes.limit ? null : { graph: graph!, changes, position };
}

/**
 * The tree of a commit according to the commit-graph.
 * @returns undefined if the commit is not in the graph
 */
export async function treeInGraph(history: History, oid: string): Promise<string | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  return position < 0 ? undefined : graph!.tree(position);
}

/**
 * The first parent of a commit according to the commit-graph.
 * @returns null for a root commit; undefined if the commit is not in the graph
 */
export async function parentInGraph(history: History, oid: string): Promise<string | null | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  if (position < 0) return undefined;
  const [parent] = graph!.parents(position);
  return parent === undefined ? null : graph!.oid(parent);
}

/**
 * Content of a commit at a path according to the path indexes: the result of the last change along first parents. Reads
 * neither the commit nor a tree.
 * @param path without leading and trailing slashes
 * @returns null if the path is absent; undefined if the indexes do not cover it, or reading trees is faster
 */
export async function stateInGraph(
  history: History,
  oid: string,
  path: string,
): Promise<KnownState | null | undefined> {
  const known = await graphStateOf(history, oid, path);
  if (known === null || known === 'many') return undefined;
  const last = lastKnown(known.graph, known.changes, known.position);
  return last === undefined ? undefined : known.changes.stateAt(last);
}

/**
 * The newest commit that changed a path and the content it left there, according to the path indexes. Waits for indexes
 * that are being written.
 * @param path without leading and trailing slashes
 * @returns null if no commit ever touched the path; undefined if the indexes do not cover it or take too long
 * @throws GitError `aborted` if the caller is aborted
 */
export async function lastChangeInGraph(
  history: History,
  oid: string,
  path: string,
): Promise<{ commit: string; state: KnownState | null } | null | undefined> {
  for (const until = waitEnd(); ; ) {
    const known = await graphStateOf(history, oid, path);
    if (known === 'many') return undefined;
    if (known !== null) {
      const { graph, changes, position } = known;
      const last = lastChange(graph, changes, position);
      if (typeof last === 'number') return { commit: graph.oid(last), state: changes.stateAt(last) };
      if (last === null || changes.floor === Number.NEGATIVE_INFINITY) return last;
    }
    // A walk would read thousands of trees.
    if (!history.isIndexing || !(await history.moreIndexed(until))) return undefined;
  }
}
