import { existsSync } from 'node:fs';
import { makePacked, randomNumbers } from './git.ts';

/** Shape of the generated repository. */
export const SHAPE = { commits: 30_000, files: 1_200, branches: 1_000, lines: 3_000, lineChanges: 600 } as const;

/** Path of an 8 kB file, of a rarely touched file deep in the tree, and of the file of 3,000 lines. */
export const PATHS = {
  file: 'src/mod-3/file-8k.txt',
  rare: 'lib/deep/er/still/rare.txt',
  blame: 'docs/long.txt',
} as const;

/** Writes the stream that `git fast-import` reads. */
async function* stream(): AsyncGenerator<string> {
  const next = randomNumbers(42);
  const long = Array.from({ length: SHAPE.lines }, (_, i) => `line ${i} of the long file with some words in it`);
  let mark = 0;
  const time = (n: number) => 1_500_000_000 + n * 600;
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const every = Math.floor(SHAPE.commits / SHAPE.lineChanges);
  for (let n = 0; n < SHAPE.commits; n += 1) {
    mark += 1;
    const author = `Author ${n % 40} <author${n % 40}@example.org> ${time(n)} +0200`;
    let text = `commit refs/heads/main\nmark :${mark}\nauthor ${author}\ncommitter ${author}\n`;
    text += blob(`Change number ${n}\n\nWhy it was made, in a sentence or two of ordinary length.\n`);
    if (n > 0) text += `from :${mark - 1}\n`;
    const index = Math.floor(next() * SHAPE.files);
    text += `M 100644 inline src/mod-${index % 40}/dir-${index % 7}/file-${index}.ts\n`;
    text += blob(`export const value${index} = ${n};\n`.repeat(3 + (index % 60)));
    if (n === 10) text += `M 100644 inline ${PATHS.file}\n${blob('0123456789abcde\n'.repeat(512))}`;
    if (n === 20) text += `M 100644 inline ${PATHS.rare}\n${blob('rare\n')}`;
    if (n % every === 0) {
      for (let k = 0; k < 5; k += 1) {
        const line = Math.floor(next() * SHAPE.lines);
        long[line] = `line ${line} was changed by commit ${n}`;
      }
      text += `M 100644 inline ${PATHS.blame}\n${blob(`${long.join('\n')}\n`)}`;
    }
    yield `${text}\n`;
  }
  for (let b = 0; b < SHAPE.branches - 1; b += 1) {
    yield `reset refs/heads/feature-${String(b).padStart(4, '0')}\nfrom :${SHAPE.commits - Math.floor(next() * 5_000) - 1}\n\n`;
  }
  yield 'done\n';
}

/** Generates the repository of the benchmarks unless it exists. Packed, with a commit-graph. */
export async function makeRepository(dir: string): Promise<void> {
  if (!existsSync(dir)) await makePacked(dir, stream());
}
