import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { problemAt, SeedError, type SeedPlace } from './seed.error.ts';

/** Keys and positions from the root of a seed to a value. */
export type SeedPath = readonly (string | number)[];

/** Largest seed file in bytes. */
export const MAX_SEED_BYTES = 50 * 1024 * 1024;
const MAX_DEPTH = 64;
/** How many values aliases may stand for: more is an expansion attack. */
const MAX_ALIASES = 10_000;
const SHOWN_ERRORS = 50;

/** A parsed seed file, whose values know their lines. */
export interface SeedDocument {
  readonly file: string;
  readonly value: unknown;
  placeOf(path: SeedPath): SeedPlace;
}

/** `projects[0].issues[2].title` */
export const pathText = (path: SeedPath): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');

/**
 * Parses a seed, YAML or JSON.
 * @param file its name in messages
 * @throws SeedError for what is neither, is too large or nested too deeply
 */
export function parseSeed(text: string, file: string): SeedDocument {
  const whole: SeedPlace = { file, line: 1, path: '' };
  if (Buffer.byteLength(text) > MAX_SEED_BYTES)
    throw new SeedError([problemAt(whole, `a seed has at most ${MAX_SEED_BYTES} bytes`)]);
  const fast = parseJson(text);
  let parsed: Parsed | undefined = fast === undefined ? parseYaml(text, file) : undefined;
  const value = fast === undefined ? (parsed!.value as unknown) : fast;
  const placeOf = (path: SeedPath): SeedPlace => {
    parsed ??= parseYaml(text, file);
    return { file, line: lineOf(parsed, path), path: pathText(path) };
  };
  if (depthOf(value) > MAX_DEPTH) throw new SeedError([problemAt(whole, `a seed has at most ${MAX_DEPTH} levels`)]);
  return { file, value, placeOf };
}

interface Parsed {
  doc: Document;
  lines: LineCounter;
  value: unknown;
}

/** @returns undefined for what is not JSON: YAML tells where and why. */
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseYaml(text: string, file: string): Parsed {
  const lines = new LineCounter();
  const at = (line: number, what: string) => problemAt({ file, line, path: '' }, what);
  try {
    const doc = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, stringKeys: true });
    const errors = doc.errors.slice(0, SHOWN_ERRORS);
    if (errors.length > 0)
      throw new SeedError(errors.map(({ pos, message }) => at(lines.linePos(pos[0]).line, firstLine(message))));
    return { doc, lines, value: doc.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    if (error instanceof SeedError) throw error;
    if (error instanceof RangeError) throw new SeedError([at(1, `a seed has at most ${MAX_DEPTH} levels`)]);
    throw new SeedError([at(1, firstLine((error as Error).message))]);
  }
}

const firstLine = (text: string): string => text.split('\n')[0]!;

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  let deepest = depth;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child, depth + 1));
  return deepest;
}

/** The line of the value at a path, or of the innermost thing around it that has one. */
function lineOf({ doc, lines }: Parsed, path: SeedPath): number {
  let node = resolved(doc, doc.contents);
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    const found = isMap(node) ? pairOf(doc, node, String(part)) : undefined;
    const next = isSeq(node) ? (node.items[Number(part)] as Node | undefined) : (found?.value as Node | undefined);
    const start = (found?.key as Node | undefined)?.range?.[0] ?? next?.range?.[0];
    if (start === undefined) break;
    offset = start;
    node = resolved(doc, next ?? null);
  }
  return lines.linePos(offset).line;
}

const resolved = (doc: Document, node: Node | null): Node | null =>
  isAlias(node) ? ((node.resolve(doc) as Node | undefined) ?? null) : node;

/** The pair of a key, which a merged map may hold. */
function pairOf(doc: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  if (own !== undefined) return own;
  for (const { key: name, value } of map.items) {
    if (!isScalar(name) || (name.value !== '<<' && typeof name.value !== 'symbol')) continue;
    const merged = resolved(doc, value as Node | null);
    const maps = isSeq(merged) ? merged.items.map((item) => resolved(doc, item as Node)) : [merged];
    for (const each of maps) {
      const found = isMap(each) ? pairOf(doc, each, key) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
