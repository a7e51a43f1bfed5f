import type { Tree, TreeMap } from '../loaded.ts';
import { doubleQuoted, literal, plainText, singleQuoted } from './dump-scalars.ts';
import { styleOf } from './dump-styles.ts';

/** Longer keys are written after a `?`. */
const LONGEST_SIMPLE_KEY = 128;
const STEP = 2;

/** Serializes data as YAML like Ruby: lists in maps are not indented, and long lines are folded. */
export function dumpYaml(tree: Tree): string {
  const parts: string[] = ['---'];
  if (isMap(tree) && Object.keys(tree).length > 0) {
    parts.push('\n');
    writeMap(parts, tree, 0, '');
  } else if (Array.isArray(tree) && tree.length > 0) {
    parts.push('\n');
    writeList(parts, tree, 0, '');
  } else writeLeaf(parts, tree, 0, 3);
  if (endsOpen(tree)) parts.push('...\n');
  return parts.join('');
}

/** Whether the last text is a block with significant trailing empty lines, which requires a document end marker. */
function endsOpen(tree: Tree): boolean {
  let last: Tree | undefined = tree;
  while (typeof last === 'object' && last !== null)
    last = Array.isArray(last) ? last.at(-1) : Object.values(last).at(-1);
  return typeof last === 'string' && last.endsWith('\n\n') && styleOf(last, false) === 'literal';
}

const isMap = (tree: Tree): tree is TreeMap => typeof tree === 'object' && tree !== null && !Array.isArray(tree);

/** @param first indentation of the first line, which may be on a started line */
function writeMap(parts: string[], map: TreeMap, indent: number, first: string): void {
  let indentation = first;
  for (const key of Object.keys(map)) {
    const value = map[key] ?? null;
    parts.push(indentation);
    indentation = ' '.repeat(indent);
    if (isSimple(key)) {
      const text = scalar(key, { column: indent, indent: indent + STEP, fold: false }, true);
      parts.push(text, ':');
      writeValue(parts, value, indent, indent + text.length + 1);
    } else {
      parts.push(
        '? ',
        scalar(key, { column: indent + STEP, indent: indent + STEP, fold: true }, false),
        '\n',
        indentation,
        ':',
      );
      writeItem(parts, value, indent);
    }
  }
}

const isSimple = (key: string): boolean => !key.includes('\n') && Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY;

/** The value after the colon of a key. */
function writeValue(parts: string[], value: Tree, indent: number, column: number): void {
  if (Array.isArray(value) && value.length > 0) {
    parts.push('\n');
    writeList(parts, value, indent, ' '.repeat(indent));
  } else if (isMap(value) && Object.keys(value).length > 0) {
    parts.push('\n');
    writeMap(parts, value, indent + STEP, ' '.repeat(indent + STEP));
  } else writeLeaf(parts, value, indent, column);
}

/** The item after a `-`, on the same line. */
function writeItem(parts: string[], value: Tree, indent: number): void {
  if (Array.isArray(value) && value.length > 0) {
    parts.push(' ');
    writeList(parts, value, indent + STEP, '');
  } else if (isMap(value) && Object.keys(value).length > 0) {
    parts.push(' ');
    writeMap(parts, value, indent + STEP, '');
  } else writeLeaf(parts, value, indent, indent + 1);
}

function writeList(parts: string[], list: readonly Tree[], indent: number, first: string): void {
  let indentation = first;
  for (const item of list) {
    parts.push(indentation, '-');
    indentation = ' '.repeat(indent);
    writeItem(parts, item, indent);
  }
}

function writeLeaf(parts: string[], value: Tree, indent: number, column: number): void {
  if (value === null) parts.push('\n');
  else if (typeof value === 'string')
    parts.push(' ', scalar(value, { column: column + 1, indent: indent + STEP, fold: true }, false), '\n');
  else parts.push(' ', Array.isArray(value) ? '[]' : typeof value === 'object' ? '{}' : bareText(value), '\n');
}

function bareText(value: number | boolean): string {
  if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
}

function scalar(text: string, folding: { column: number; indent: number; fold: boolean }, isKey: boolean): string {
  switch (styleOf(text, isKey)) {
    case 'plain':
      return plainText(text, folding);
    case 'single':
      return singleQuoted(text, folding);
    case 'double':
      return doubleQuoted(text, folding);
    case 'literal':
      return literal(text, folding.indent);
  }
}
