import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Programs of their own, and tests with scripts of their own, that are not run with all others. */
const OTHER_PROGRAMS = ['test/clients/', 'test/crash/', 'test/fuzz/', 'test/recipes/'];

/** Folders and files whose tests open no database, or the embedded one of a server for tests alone: they need not run once for each. */
const WITHOUT_DATABASE = [
  ...[
    'src/ci/',
    'src/config/',
    'src/core/',
    'src/git/',
    'src/http/params/',
    'src/outbound/',
    'src/web/diff-lines/',
    'src/web/highlight/',
    'src/web/job-log/',
  ],
  'test/fuzz/',
  'test/support/browser.test.ts',
  ...['src/test-fixtures.test.ts', 'test/e2e/neighbours.test.ts'],
];

/**
 * Files that measure memory or time of their process, in which other files must not have left anything to clear up, and those for
 * which no child or thread may be started: others leave some running.
 */
const ALONE = [
  'src/core/core.references.test.ts',
  'src/git/transport/transport.test.ts',
  'src/http/garbage.test.ts',
  'test/children-that-cannot-start.test.ts',
  'test/threads-that-cannot-start.test.ts',
];

/** A path or folder on the command line that holds no test. */
export class NoTests extends Error {
  override name = 'NoTests';
}

/**
 * The test files of the project, or only those that the paths name (files or folders).
 * @param root folder of the checkout; what comes back is relative to it
 * @throws NoTests when a path holds none
 */
export function findTests(root: string, paths: readonly string[]): string[] {
  const below = (folder: string) =>
    globSync(folder === '' ? '{src,test}/**/*.test.ts' : `${folder}/**/*.test.ts`, { cwd: root });
  if (paths.length === 0) {
    const files = below('').filter((file) => !OTHER_PROGRAMS.some((folder) => file.startsWith(folder)));
    return files.sort();
  }
  const files = paths.flatMap((path) => {
    const inRoot = relative(root, path);
    const absolute = join(root, inRoot);
    if (!existsSync(absolute)) throw new NoTests(`There is no ${path}.`);
    const testFiles = statSync(absolute).isDirectory() ? below(inRoot) : [inRoot];
    if (testFiles.length === 0) throw new NoTests(`There is no test in ${path}.`);
    return testFiles;
  });
  return [...new Set(files)].sort();
}

/** Whether what the file tests can differ from one database to the other. */
export const touchesDatabase = (file: string): boolean => !WITHOUT_DATABASE.some((folder) => file.startsWith(folder));

/** Whether the file counts the children that its process starts: a spawner would start them unseen. */
const watchesStarts = (root: string, file: string): boolean =>
  readFileSync(resolve(root, file), 'utf8').includes("subscribe('child_process'");

/** What these ask for is preceded by a garbage collection, and they measure memory: in a process that has run no other file. */
const COLLECTING = ['test/fuzz/bodies/', 'test/fuzz/graphql/'];

/** Whether the file needs a process in which no other has run. */
export const needsNewProcess = (file: string): boolean =>
  ALONE.includes(file) || COLLECTING.some((folder) => file.startsWith(folder));

/** Tests here start the most children, which takes half the time in a process that has not loaded the server. */
const FIRST = 'src/git/';

/** Whether children of the file are started by a spawner. It is kept from one file to the next: to start it takes 0.1 s. */
export const usesSpawner = (root: string, file: string): boolean =>
  !needsNewProcess(file) && !file.startsWith(FIRST) && !watchesStarts(root, file);

/** Longer files take longer, and those that start whole servers or race take longest. */
const WEIGHTS = { git: 1e9, alone: 1e8, unseen: 1e7, servers: 1e6 };

/**
 * The order in which files begin: those that take longest first, so that all processes end together. Those that need a new process, or
 * one without a spawner, come where the server is loaded in any case.
 */
export function longestFirst(root: string, files: readonly string[]): string[] {
  const weighed = files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const starts = /server-process|races/.test(file + text);
    const weight =
      text.length +
      (file.startsWith(FIRST) ? WEIGHTS.git : 0) +
      (needsNewProcess(file) ? WEIGHTS.alone : 0) +
      (watchesStarts(root, file) ? WEIGHTS.unseen : 0) +
      (starts ? WEIGHTS.servers : 0);
    return { file, weight };
  });
  return weighed.sort((a, b) => b.weight - a.weight).map(({ file }) => file);
}
