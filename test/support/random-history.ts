import { data, quote } from './fast-import.ts';

/** What a generated history is made of. */
export interface HistoryShape {
  /** Commits. */
  commits: number;
  /** Whether some were committed by clocks that are hours or years wrong. */
  skewed?: boolean;
}

export interface RandomHistory {
  /** What `git fast-import` reads. Every commit gets a branch `c<number>`, from 0 on. */
  input: string;
  /** Paths that some commit has or could have. */
  paths: readonly string[];
}

type Files = ReadonlyMap<string, string>;

interface Made {
  files: Files;
  time: number;
}

/** Numbers that a seed decides, from 0 up to below a bound. */
export type Random = (bound: number) => number;

export function randomNumbers(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };
}

const PATHS = [
  'a',
  'b',
  'dir/c',
  'dir/d',
  'dir/sub/e',
  'dir/sub/f',
  'x',
  'x/y',
  'x/y/z',
  'k\u00fc/\u00f6l',
  '\u{1f600}',
  'sp ace',
];
const AUTHORS = ['Ada <ada@example.com>', 'Bob <BOB@example.com>', 'Jos\u00e9 <jose@example.org>'];
const START = 1_700_000_000;

/** A history of lines, merges of two and more, criss-crosses, merges that take one side or change more, roots, files that become folders. */
export function randomHistory(random: Random, shape: HistoryShape): RandomHistory {
  const made: Made[] = [];
  const input: string[] = ['feature done'];
  for (let number = 0; number < shape.commits; number += 1) {
    const parents = chooseParents(random, number);
    const files = change(
      random,
      joined(
        random,
        parents.map((parent) => made[parent]!.files),
      ),
    );
    const time = chooseTime(
      random,
      parents.map((parent) => made[parent]!.time),
      shape.skewed ?? false,
    );
    made.push({ files, time });
    const [first, ...others] = parents;
    const who = AUTHORS[random(AUTHORS.length)]!;
    input.push(
      `commit refs/heads/c${number}`,
      `mark :${number + 1}`,
      `author ${who} ${time - random(100)} +0000`,
      `committer ${AUTHORS[random(AUTHORS.length)]!} ${time} +0000`,
      data(`commit ${number}\n\nof kind ${random(4)} ${random(9) === 0 ? 'with a WORD' : ''}\n`),
      ...(first === undefined ? [] : [`from :${first + 1}`]),
      ...others.map((parent) => `merge :${parent + 1}`),
      'deleteall',
      ...[...files].flatMap(([path, text]) => [`M 100644 inline ${quote(path)}`, data(text)]),
    );
  }
  return {
    input: `${input.join('\n')}\ndone\n`,
    paths: [...PATHS, 'dir', 'dir/sub', 'k\u00fc', 'x/', 'dir/', 'a/', 'never'],
  };
}

function chooseParents(random: Random, number: number): number[] {
  if (number === 0 || random(60) === 0) return [];
  const recent = () => Math.max(0, number - 1 - random(random(4) === 0 ? number : 6));
  const kind = random(10);
  const count = kind < 6 ? 1 : kind < 9 ? 2 : 2 + random(4);
  const first = random(3) === 0 ? recent() : number - 1;
  return [...new Set([first, ...Array.from({ length: count - 1 }, recent)])];
}

function joined(random: Random, sides: readonly Files[]): Map<string, string> {
  const kind = random(4);
  if (sides.length < 2 || kind === 0) return new Map(sides[0] ?? []);
  if (kind === 1) return new Map(sides[random(sides.length)]);
  const files = new Map<string, string>();
  for (const path of PATHS) {
    const text = sides[random(sides.length)]!.get(path);
    if (text !== undefined) put(files, path, text);
  }
  return files;
}

function change(random: Random, files: Map<string, string>): Files {
  for (let left = random(3); left > 0; left -= 1) {
    const path = PATHS[random(PATHS.length)]!;
    if (random(4) === 0) files.delete(path);
    else put(files, path, `${random(3)}\n`);
  }
  return files;
}

/** A file takes the place of a folder, and the other way round. */
function put(files: Map<string, string>, path: string, text: string): void {
  for (const other of files.keys()) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  files.set(path, text);
}

function chooseTime(random: Random, parents: readonly number[], skewed: boolean): number {
  const after = parents.reduce((latest, time) => Math.max(latest, time), START);
  if (skewed && random(8) === 0) return after + (random(2) === 0 ? -1 : 1) * random(50_000_000);
  return after + (random(3) === 0 ? 0 : random(600));
}
