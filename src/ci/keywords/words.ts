import type { TreeMap } from '../config/loaded.ts';
import type { Place } from './place.ts';
import type { ReadBy, Reader } from './reader.ts';

/** Readers by keyword, in the order in which what is wrong is told. */
export type Table = Readonly<Record<string, Reader<unknown>>>;
export type Values<T extends Table> = { [K in keyof T]: ReadBy<T[K]> };

/** The keywords that some place may have. */
export interface Words<T extends Table> {
  names: readonly string[];
  /** What they all say there; null for those that do not stand. */
  read(config: TreeMap, at: Place): Values<T>;
}
export type Said<W> = W extends Words<infer T> ? Values<T> : never;

export function words<T extends Table>(readers: T): Words<T> {
  const entries = Object.entries(readers);
  const nothing: Record<string, unknown> = Object.fromEntries(entries.map(([name]) => [name, null]));
  return {
    names: Object.keys(readers),
    read(config, at) {
      const found = { ...nothing };
      for (const [name, reader] of entries) found[name] = at.read(config, name, reader);
      return found as Values<T>;
    },
  };
}
