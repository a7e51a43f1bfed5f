/**
 * Makes dist/ out of the sources: what `stithy` runs, and what is published (docs/decisions/what-runs-is-a-bundle.md).
 * Its files are put in place one by one under names of their content, the entries last, so that a server that is running or
 * starting meanwhile finds what it needs.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { seedSchemaText } from '../src/test-bench/seed/seed.schema.ts';
import { writeNotices } from './notices.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Entries under names of their own, that others import or run. */
const PUBLIC = ['main', 'index', 'vitest', 'playwright', 'node-test'];
/** Entries that programs import, and so on whatever Node.js they have; bin/stithy.js looks at it for the command. */
const IMPORTED = PUBLIC.slice(1);
/** So many bundles are kept, this one included: servers that run load parts of theirs when they are first needed. */
const MAX_BUNDLES = 4;

/** A program that is plain ASCII takes half the memory: a text with any other character is held as 16 bits for each. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escapeNonAscii(file.code);
  },
};

/** Spells characters as `\uXXXX`. Comments are gone by then: what is left stands in texts and regular expressions. */
const escapeNonAscii = (code: string): string =>
  code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes: string, char: string) => {
    // A backslash before such a character means nothing, and would now take the next one's meaning.
    const backslashes = slashes.length % 2 === 1 ? slashes.slice(1) : slashes;
    return `${backslashes}\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** Says which Node.js is needed, before an older one stumbles over what it lacks. */
async function nodeCheck(): Promise<string> {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
  const least = engines.node.replace('>=', '');
  return `if (parseInt(process.versions.node) < ${least}) throw new Error("stithy needs Node.js ${least} or later; this is " + process.versions.node + ". npm install --save-dev node brings one to a folder, for npx node.");`;
}

async function makeChunks(folder: string): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: root,
    // Entries of their own: a thread that compiles configurations, renders or highlights a text, reads repositories or writes to them, and the processes
    // that start git and count lines load nothing else.
    input: {
      main: 'src/main.ts',
      index: 'src/index.ts',
      vitest: 'src/vitest.ts',
      playwright: 'src/playwright.ts',
      'node-test': 'src/node-test.ts',
      compiler: 'src/ci/compiler/compiler.worker.ts',
      markup: 'src/markup/markup.worker.ts',
      highlight: 'src/web/highlight/highlight.worker.ts',
      reader: 'src/api/code/reader-thread-program.ts',
      writer: 'src/git/files/writer/writer.thread.ts',
      spawner: 'src/git/process/spawner/spawner.program.ts',
      counter: 'src/git/commit-graph/line-counter/line-counter.program.ts',
    },
    platform: 'node',
    // Optional, and native: pg asks for it only when it is told to.
    external: ['pg-native'],
    // What a program does not use of a library of git stays out of it.
    treeshake: { moduleSideEffects: [{ test: /\/src\/git\/[^/]+\/index\.ts$/, sideEffects: false }] },
  });
  const check = await nodeCheck();
  const { output } = await bundle.write({
    dir: folder,
    // Loaded with fewer bytes than an ES module, whose text is always held as 16 bits for each character.
    format: 'cjs',
    // A server that runs finds its own threads and its spawner after the bundle has been made again.
    entryFileNames: ({ name }) => (PUBLIC.includes(name) ? '[name].cjs' : '[name]-[hash].cjs'),
    chunkFileNames: '[name]-[hash].cjs',
    banner: ({ name }) => (IMPORTED.includes(name) ? check : ''),
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    plugins: [ascii],
  });
  await bundle.close();
  return output.filter((file) => file.type === 'chunk');
}

/** Removes what only earlier bundles have; the files of a bundle bear the time at which it was begun. */
async function removeOld(): Promise<void> {
  const files = (await readdir(dist)).filter((name) => !name.startsWith('.')).map((name) => join(dist, name));
  const times = new Map<string, number>();
  for (const file of files) times.set(file, (await stat(file)).mtimeMs);
  const oldest = [...new Set(times.values())].sort((a, b) => b - a)[MAX_BUNDLES - 1] ?? 0;
  for (const [file, time] of times) if (time < oldest) await rm(file, { recursive: true, force: true });
}

const started = new Date();
const fresh = join(dist, `.${process.pid}`);
await mkdir(fresh, { recursive: true });
try {
  const chunks = await makeChunks(fresh);
  await writeNotices(chunks, root, join(fresh, 'THIRD-PARTY.txt'));
  await writeFile(join(fresh, 'seed.schema.json'), seedSchemaText());
  const names = await readdir(fresh);
  const entries = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  for (const name of [...names.filter((name) => !entries.includes(name)), ...entries]) {
    // Sources that change from now on are newer than it.
    await utimes(join(fresh, name), started, started);
    await rename(join(fresh, name), join(dist, name));
  }
  await removeOld();
} finally {
  await rm(fresh, { recursive: true, force: true });
}
