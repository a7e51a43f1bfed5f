import type { TreeMap } from '../config/loaded.ts';
import type { ConfigNode } from './config-node.ts';
import type { ReadBy, Reader } from './reader.ts';

/** Readers by keyword, in the order of error messages. */
export type Table = Readonly<Record<string, Reader<unknown>>>;
export type Values<T extends Table> = { [K in keyof T]: ReadBy<T[K]> };

/** The keywords of a place. */
export interface KeywordTable<T extends Table> {
  names: readonly string[];
  /** Reads all keywords; null for missing ones. */
  read(config: TreeMap, at: ConfigNode): Values<T>;
}
export type KeywordValues<W> = W extends KeywordTable<infer T> ? Values<T> : never;

export function keywordTable<T extends Table>(readers: T): KeywordTable<T> {
  const entries = Object.entries(readers);
  const nothing: Record<string, unknown> = Object.fromEntries(entries.map(([name]) => [name, null]));
  return {
    names: Object.keys(readers),
    read(config, at) {
      const values = { ...nothing };
      for (const [name, reader] of entries) values[name] = at.read(config, name, reader);
      return values as Values<T>;
    },
  };
}
