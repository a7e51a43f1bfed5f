import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the generated repository holds. */
export const SHAPE = { commits: 30_000, files: 1_200, branches: 1_000, lines: 3_000, lineChanges: 600 } as const;

/** Path of an 8 kB file, of a rarely touched file deep in the tree, and of the file of 3,000 lines. */
export const PATHS = {
  file: 'src/mod-3/file-8k.txt',
  rare: 'lib/deep/er/still/rare.txt',
  blame: 'docs/long.txt',
} as const;

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes the stream that `git fast-import` reads. */
async function* stream(): AsyncGenerator<string> {
  const next = random(42);
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

async function git(args: string[]): Promise<void> {
  const [code] = (await once(spawn('git', args, { stdio: 'ignore' }), 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
}

/** Makes the repository of the benchmarks, or leaves the one of an earlier run. Packed, with a commit-graph. */
export async function makeRepository(dir: string): Promise<void> {
  if (existsSync(dir)) return;
  const temporary = `${dir}.new`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(dirname(dir), { recursive: true });
  await git(['init', '-q', '--bare', '-b', 'main', temporary]);
  const child = spawn('git', ['--git-dir', temporary, 'fast-import', '--quiet', '--done'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  for await (const text of stream()) if (!child.stdin.write(text)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await git(['--git-dir', temporary, 'repack', '-adq', '--depth=50', '--window=10']);
  await git(['--git-dir', temporary, 'commit-graph', 'write', '--reachable', '--changed-paths']);
  await rename(temporary, dir);
}
