import type { TreeMap } from '../config/loaded.ts';
import type { ConfigNode } from './config-node.ts';
import type { ReadBy, Reader } from './reader.ts';

/** Readers by keyword, in the order in which what is wrong is told. */
export type Table = Readonly<Record<string, Reader<unknown>>>;
export type Values<T extends Table> = { [K in keyof T]: ReadBy<T[K]> };

/** The keywords that some place may have. */
export interface KeywordTable<T extends Table> {
  names: readonly string[];
  /** What they all say there; null for those that do not stand. */
  read(config: TreeMap, at: ConfigNode): Values<T>;
}
export type GivenKeywords<W> = W extends KeywordTable<infer T> ? Values<T> : never;

export function keywordTable<T extends Table>(readers: T): KeywordTable<T> {
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
