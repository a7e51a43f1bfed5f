import { data, quote } from './fast-import.ts';
import type { Random } from './random-history.ts';

/** What a tree holds: a mode and a content for each path. */
type Files = Map<string, { mode: string; text: string }>;

/** What two sides start from, and what each makes of it. */
type Sides = readonly [base: Files, ours: Files, theirs: Files];

const FOLDERS = ['', 'd/', 'd/e/', 'd/e/f/', 'g/', 'g/h/', 'k/'];
const NAMES = ['a', 'b', 'c', 'd', 'e', 'k.txt', 'm.txt'];
const LINES = 8;
const WHO = 'Ada <ada@example.com> 1700000000 +0000';

/**
 * What `git fast-import` reads for so many merges: of each three commits with marks that follow each other, what both sides
 * start from and the two on top of it.
 * @param kind whether the sides change, move and remove files, or the lines of one
 */
export function randomMerges(random: Random, count: number, kind: 'files' | 'lines'): string {
  const input = ['feature done'];
  for (let number = 0; number < count; number += 1) {
    const sides = kind === 'files' ? filesOfSides(random) : linesOfSides(random);
    const first = 3 * number + 1;
    for (const at of [0, 1, 2]) {
      input.push(
        'reset refs/heads/side',
        'commit refs/heads/side',
        `mark :${first + at}`,
        `committer ${WHO}`,
        data('x'),
      );
      if (at > 0) input.push(`from :${first}`, 'deleteall');
      for (const [path, { mode, text }] of sides[at]!) input.push(`M ${mode} inline ${quote(path)}`, data(text));
    }
  }
  return [...input, 'done', ''].join('\n');
}

function filesOfSides(random: Random): Sides {
  const base: Files = new Map();
  for (let n = 3 + random(12); n > 0; n -= 1) put(base, somePath(random), { mode: '100644', text: someText(random) });
  const [ours, theirs] = [new Map(base), new Map(base)];
  for (let n = 1 + random(4); n > 0; n -= 1) {
    const before = random(1_000_000);
    changeFiles(random, ours);
    // Both may do the same, now and then.
    if (random(12) === 0) changeFiles((bound) => before % bound, theirs);
    if (random(12) === 0) for (const side of [ours, theirs]) changeFiles((bound) => before % bound, side);
  }
  for (let n = 1 + random(3); n > 0; n -= 1) changeFiles(random, theirs);
  return [base, ours, theirs];
}

/** Puts a file where it may be: in place of files above and below it. */
function put(files: Files, path: string, file: { mode: string; text: string }): void {
  for (const other of [...files.keys()]) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  files.set(path, file);
}

const somePath = (random: Random): string => `${FOLDERS[random(FOLDERS.length)]}${NAMES[random(NAMES.length)]}`;

/** Texts of which many are alike. */
function someText(random: Random): string {
  const lines = Array.from({ length: LINES }, (_, at) => `line ${at} of ${random(3)}`);
  return `${lines.join('\n')}\n`;
}

function changeFiles(random: Random, files: Files): void {
  const paths = [...files.keys()];
  const path = paths[random(paths.length)];
  const file = path === undefined ? undefined : files.get(path)!;
  const what = random(14);
  if (path === undefined || file === undefined || what < 3) {
    put(files, somePath(random), { mode: '100644', text: someText(random) });
  } else if (what < 7) {
    files.set(path, { ...file, text: changedLine(random, file.text) });
  } else if (what === 7) {
    files.delete(path);
  } else if (what === 8) {
    files.delete(path);
    put(files, somePath(random), { ...file, text: random(2) === 0 ? file.text : changedLine(random, file.text) });
  } else if (what === 9) {
    moveFolder(random, files, path);
  } else if (what === 10) {
    files.set(path, { ...file, mode: file.mode === '100644' ? '100755' : '100644' });
  } else if (what === 11) {
    files.set(path, { mode: '120000', text: `to${random(3)}` });
  } else if (what === 12) {
    put(files, `${path}/${NAMES[random(NAMES.length)]}`, file);
  } else {
    put(files, somePath(random), file);
  }
}

function moveFolder(random: Random, files: Files, path: string): void {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const target = `${FOLDERS[random(FOLDERS.length)]}new${random(2)}/`;
  if (folder === '') return;
  for (const [at, file] of [...files]) {
    if (!at.startsWith(folder)) continue;
    files.delete(at);
    put(files, `${target}${at.slice(folder.length)}`, file);
  }
}

function changedLine(random: Random, text: string): string {
  const lines = text.split('\n');
  lines[random(lines.length)] = `changed ${random(4)}`;
  return lines.join('\n');
}

function linesOfSides(random: Random): Sides {
  const unique = random(4);
  const base = Array.from({ length: random(40) }, (_, at) => (random(4) < unique ? `${at}` : 'xyz{}'[random(5)]!));
  const side = (side: number) => {
    const changed = [...base];
    for (let n = side === 0 ? 0 : 1 + random(3); n > 0; n -= 1) changeLines(random, changed, side);
    const end = random(5) === 0 ? '' : '\n';
    return new Map([['file', { mode: '100644', text: changed.join(random(50) === 0 ? '\r\n' : '\n') + end }]]);
  };
  return [side(0), side(1), side(2)];
}

/** Changes a run of lines: mostly in the first half for one side, and in the other for the other. */
function changeLines(random: Random, lines: string[], side: number): void {
  const half = lines.length >> 1;
  const at = random(6) === 0 ? random(lines.length + 1) : random(half + 1) + (side === 1 ? 0 : half);
  const run = random(5);
  const what = random(6);
  const copied = lines.slice(at, at + run);
  const fresh = Array.from({ length: run }, () => (random(2) === 0 ? `new ${random(4)}` : 'xyz{}'[random(5)]!));
  if (what === 0) lines.splice(at, run);
  else if (what === 1) lines.splice(at, 0, ...fresh);
  else if (what === 2) lines.splice(at, run, ...fresh);
  else if (what === 3) lines.splice(at, 0, ...copied);
  else if (what === 4) lines.splice(random(lines.length + 1), 0, ...copied);
  else lines.splice(random(lines.length - run + 1), 0, ...lines.splice(at, run));
}
