import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** A position in a bundle file. */
const PLACE = /((?:[A-Za-z]:)?[^\s():]+\.cjs):(\d+):(\d+)/g;
/** Milliseconds that a source map is cached: it takes some 20 MB, and errors come in bursts or hardly ever. */
const CACHE_MS = 10_000;

const maps = new Map<string, SourceMap | null>();

/** The source map of a bundle file; null if there is none. */
function mapOf(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map !== undefined) return map;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    map = null;
  }
  maps.set(file, map);
  setTimeout(() => maps.delete(file), CACHE_MS).unref();
  return map;
}

/**
 * A stack trace with source positions (`src/http/http.send.ts:20:7`) in place of those of the bundle. Source maps are
 * only read after an error, not at every start like with `--enable-source-maps`.
 */
export const withSourceLines = (stack: string): string =>
  stack.replace(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry) || entry.originalSource === null) return place;
    const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
