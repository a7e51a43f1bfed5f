import type { GraphLayer } from './commit-graph.layer.ts';
import type { PartialPathIndex } from './path-index.ts';

/** Partial path indexes of writes in this thread, by the checksum of their layer. */
const growing = new Map<string, PartialPathIndex>();
/** Waiters by key: a layer, or the directory of a repository. */
const waiting = new Map<string, PromiseWithResolvers<void>>();

/** Key of a layer's index, independent of the location of its file. */
const keyOf = ({ sum }: GraphLayer): string => sum.toString('latin1');

/** The partial path index of a layer; undefined if none is being written. */
export const partialIndexOf = (layer: GraphLayer): PartialPathIndex | undefined =>
  layer.pathIndex === null ? growing.get(keyOf(layer)) : undefined;

/** Publishes the progress of a layer's path index; null when its write ends. Wakes all waiters. */
export function publishPartialIndex(layer: GraphLayer, index: PartialPathIndex | null): void {
  const key = keyOf(layer);
  if (index === null) growing.delete(key);
  else growing.set(key, index);
  wakeWaiters(key);
}

/** Wakes all waiters for a repository's graph or for a layer. */
export function wakeWaiters(key: string): void {
  const waited = waiting.get(key);
  waiting.delete(key);
  waited?.resolve();
}

/**
 * Resolves on progress of a write; undefined if nothing is being written.
 * @param layers whose indexes may be in progress
 * @param dir of a repository whose graph is being written
 */
export function nextPartialIndex(layers: readonly GraphLayer[], dir: string | null): Promise<void> | undefined {
  // Each of these is woken at the end of its write at the latest.
  const keys = layers.filter((layer) => partialIndexOf(layer) !== undefined).map(keyOf);
  if (dir !== null) keys.push(dir);
  if (keys.length === 0) return undefined;
  return Promise.race(
    keys.map((key) => {
      const waited = waiting.get(key) ?? Promise.withResolvers<void>();
      waiting.set(key, waited);
      return waited.promise;
    }),
  );
}
