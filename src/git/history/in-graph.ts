import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import { lastChange, lastKnown } from '../commit-graph/last-change.ts';
import { type KnownState, PathChanges } from '../commit-graph/path-changes.ts';
import { encodeBytes } from '../git.bytes.ts';
import type { History } from './history.ts';
import { waitEnd } from './index-wait.ts';

/** What the path indexes tell of a path. */
interface Known {
  graph: CommitGraph;
  changes: PathChanges;
  /** Of the commit that was asked for. */
  position: number;
}

/** Null where they do not tell: `many` where trees tell it sooner. @param path without a slash at either end */
export async function graphStateOf(history: History, oid: string, path: string): Promise<Known | 'many' | null> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  if (position < 0) return null;
  const changes = await PathChanges.ofFew(graph!.layers, encodeBytes(path));
  if (changes === null) return 'many';
  return position >= changes.limit ? null : { graph: graph!, changes, position };
}

/**
 * The tree of a commit out of the commit-graph.
 * @returns undefined for what the graph does not have
 */
export async function treeInGraph(history: History, oid: string): Promise<string | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  return position < 0 ? undefined : graph!.tree(position);
}

/**
 * The first parent of a commit out of the commit-graph.
 * @returns null for a root commit; undefined for what the graph does not have
 */
export async function parentInGraph(history: History, oid: string): Promise<string | null | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  if (position < 0) return undefined;
  const [parent] = graph!.parents(position);
  return parent === undefined ? null : graph!.oid(parent);
}

/**
 * What a commit has at a path, by the path indexes of the commit-graph: what the last change along first parents left there. Reads
 * neither the commit nor a tree.
 * @param path without a slash at either end
 * @returns null for nothing; undefined where they do not tell, or trees tell it sooner
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
 * The newest commit that changed a path, and what it left there, by the same. Waits for an index that is being written.
 * @param path without a slash at either end
 * @returns null where no commit ever touched the path; undefined where they do not tell, or take long for it
 * @throws GitError `aborted` where the caller leaves meanwhile
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
