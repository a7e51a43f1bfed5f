import { data, quote } from './fast-import.ts';
import type { Random } from './random-history.ts';

interface File {
  mode: string;
  /** Of a submodule the id of its commit. */
  content: string;
}

type Files = Map<string, File>;

const PATHS = ['a.c', 'b.c', 'docs/a', 'docs/b', 'docs/deep/c', 'k\u00fc', 'lib', 'lib/d', 'lib/e', '.gitattributes'];
const WORDS = ['', '}', '{', '\treturn;', '\tif (x)', 'int f(void)', ' * of it'];
const START = 1_500_000_000;
/** Seconds between two commits. */
const PAUSE = 300_000;

/**
 * A history of files in many versions, as `git fast-import` reads it: texts that grow, are cut and moved, with lines that are there very
 * often, without an end, with carriage returns, very long ones; empty and binary files, links, submodules, files that become
 * something else, attributes that say how they differ; roots and merges. Every commit gets a branch `c<number>`.
 * @param hashDigits of an object id
 */
export function randomVersions(random: Random, commits: number, hashDigits = 40): string {
  const made: Files[] = [];
  const input: string[] = ['feature done'];
  for (let number = 0; number < commits; number += 1) {
    const parents = number === 0 || random(50) === 0 ? [] : parentsOf(random, number);
    const files = joined(
      random,
      parents.map((parent) => made[parent]!),
    );
    for (let left = random(4); left > 0; left -= 1) change(random, files, hashDigits);
    made.push(files);
    const [first, ...others] = parents;
    input.push(
      `commit refs/heads/c${number}`,
      `mark :${number + 1}`,
      `committer A <a@example.com> ${START + PAUSE * number} +0000`,
      data(`commit ${number}\n`),
      ...(first === undefined ? [] : [`from :${first + 1}`]),
      ...others.map((parent) => `merge :${parent + 1}`),
      ...changes(first === undefined ? new Map() : made[first]!, files),
    );
  }
  return `${input.join('\n')}\ndone\n`;
}

/** What makes files out of those of the first parent. */
function changes(before: Files, files: Files): string[] {
  const gone = [...before.keys()].filter((path) => !files.has(path)).map((path) => `D ${quote(path)}`);
  const changed = [...files].filter(([path, { mode, content }]) => {
    const old = before.get(path);
    return old?.mode !== mode || old.content !== content;
  });
  return [
    ...gone,
    ...changed.flatMap(([path, { mode, content }]) =>
      mode === '160000' ? [`M 160000 ${content} ${quote(path)}`] : [`M ${mode} inline ${quote(path)}`, data(content)],
    ),
  ];
}

function parentsOf(random: Random, number: number): number[] {
  const recent = () => Math.max(0, number - 1 - random(8));
  const first = random(4) === 0 ? recent() : number - 1;
  return random(4) === 0 ? [...new Set([first, recent(), ...(random(4) === 0 ? [recent()] : [])])] : [first];
}

function joined(random: Random, sides: readonly Files[]): Files {
  const files: Files = new Map(sides[0] ?? []);
  const other = sides.at(-1);
  if (sides.length < 2 || other === undefined) return files;
  for (const path of PATHS) {
    const file = other.get(path);
    if (file !== undefined && random(2) === 0) put(files, path, file);
  }
  return files;
}

function change(random: Random, files: Files, hashDigits: number): void {
  const path = PATHS[random(PATHS.length)]!;
  const file = files.get(path);
  const kind = random(14);
  const isText = file?.mode.startsWith('100') === true;
  if (file === undefined || kind === 0) put(files, path, { mode: '100644', content: newText(random) });
  else if (kind === 1) files.delete(path);
  else if (kind === 2) move(random, files, path, file);
  else if (kind === 3 && isText) files.set(path, { ...file, mode: file.mode === '100644' ? '100755' : '100644' });
  else if (kind === 4) put(files, path, { mode: '120000', content: `to/${random(3)}` });
  else if (kind === 5) put(files, path, { mode: '160000', content: `${random(9)}`.repeat(hashDigits) });
  else if (kind === 6) put(files, path, { mode: '100644', content: `\0${newText(random)}` });
  else if (kind === 7) put(files, path, { mode: '100644', content: '' });
  else if (isText) files.set(path, { ...file, content: edited(random, file.content) });
}

function move(random: Random, files: Files, path: string, file: File): void {
  files.delete(path);
  const content = random(2) === 0 || !file.mode.startsWith('100') ? file.content : edited(random, file.content);
  put(files, PATHS[random(PATHS.length)]!, { ...file, content });
}

/** A file takes the place of a folder, and the other way round. */
function put(files: Files, path: string, file: File): void {
  for (const other of files.keys()) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  files.set(path, path === '.gitattributes' && file.mode === '100644' ? { ...file, content: '* -diff\n' } : file);
}

const line = (random: Random): string =>
  random(60) === 0
    ? 'long '.repeat(4_000)
    : random(2) === 0
      ? WORDS[random(WORDS.length)]!
      : `${'\t'.repeat(random(3))}line ${random(400)}${random(9) === 0 ? '\r' : ''}`;

const newText = (random: Random): string =>
  Array.from({ length: random(random(5) === 0 ? 700 : 40) }, () => line(random)).join('\n') +
  (random(4) === 0 ? '' : '\n');

function edited(random: Random, text: string): string {
  const lines = text.split('\n');
  for (let left = 1 + random(5); left > 0; left -= 1) {
    const at = random(lines.length + 1);
    const coming =
      random(3) === 0 ? lines.slice(at, at + random(9)) : Array.from({ length: random(7) }, () => line(random));
    lines.splice(at, random(7), ...coming);
  }
  return lines.join('\n');
}
