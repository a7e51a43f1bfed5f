/**
 * Runs a recipe of recipes/ as it is written, with the package as it is published: `recipe.ts NAME FOLDER`, the folder as recipes.ts
 * gives it. Its tests pass; where nothing is put back between them the second fails; where they expect something else both do.
 */
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packPackage, pathWith } from '../support/installed-package.ts';
import { folder, must, run, runTests } from './support.ts';

const [name = '', place = ''] = process.argv.slice(2);
const ROOT = resolve(import.meta.dirname, '../..');

/** A text of a file, and another one in its place. */
interface Change {
  file: string;
  from: string;
  to: string;
}

interface Recipe {
  command: string[];
  env?: Record<string, string>;
  /** Reads how many tests passed and failed out of what the command printed. */
  counts(text: string): [passed: number, failed: number];
  /** Takes out what puts the server back before each test. */
  noReset: Change;
  wrong: Change;
  /** What a test tries that cannot be, and what it is told. */
  refused?: { change: Change; reason: RegExp };
}

/** Packages of Node.js that have the server as a dependency; others run the command `stithy`. */
const OF_NODE = ['jest', 'vitest', 'playwright', 'testcontainers'];
/** Files whose types are checked. One has nothing else: there are no containers here. */
const TYPED: Record<string, string> = {
  vitest: 'issues.test.ts',
  playwright: 'issues.spec.ts',
  testcontainers: 'issues.test.mts',
};

/** Numbers before the words, as most frameworks print them. */
const byNumbers =
  (passed: RegExp, failed: RegExp) =>
  (text: string): [number, number] => [Number(passed.exec(text)?.[1] ?? 0), Number(failed.exec(text)?.[1] ?? 0)];

const RECIPES: Record<string, Recipe> = {
  pytest: {
    command: [join(place, 'pytest')],
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    counts: byNumbers(/(\d+) passed/, /(\d+) failed/),
    noReset: { file: 'conftest.py', from: '    stithy_server.call("POST", "/-/bench/reset")\n', to: '' },
    wrong: { file: 'test_issues.py', from: '== 5', to: '== 6' },
  },
  go: {
    command: ['go', 'test', '-v', './...'],
    env: { GOCACHE: join(place, 'build'), GOPATH: join(place, 'modules'), GOFLAGS: '-count=1' },
    counts: (text) => [text.split('--- PASS: ').length - 1, text.split('--- FAIL: ').length - 1],
    noReset: { file: 'issues_test.go', from: '\treset(t)\n', to: '' },
    wrong: { file: 'issues_test.go', from: '!= 5', to: '!= 6' },
  },
  junit: {
    command: ['mvn', '-B', `-Dmaven.repo.local=${place}`, 'test'],
    env: { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' },
    counts: (text) => {
      const [, run, failures] = /Tests run: (\d+), Failures: (\d+), Errors: 0/.exec(text) ?? [];
      return [Number(run) - Number(failures), Number(failures)];
    },
    noReset: {
      file: 'src/test/java/Stithy.java',
      from: '    serverOf(context).call("POST", "/-/bench/reset", "");\n',
      to: '',
    },
    wrong: { file: 'src/test/java/IssuesTest.java', from: ':5,', to: ':6,' },
  },
  jest: {
    command: ['npx', 'jest'],
    counts: byNumbers(/^Tests:.* (\d+) passed/m, /^Tests:.* (\d+) failed/m),
    noReset: { file: 'stithy.reset.js', from: "beforeEach(() => api('POST', '/-/bench/reset'));\n", to: '' },
    wrong: { file: 'issues.test.js', from: 'toBe(5)', to: 'toBe(6)' },
    refused: {
      change: {
        file: 'issues.test.js',
        from: 'const { iid }',
        to: "await require('stithy').start();\n    const { iid }",
      },
      reason: /A server cannot run in a sandbox.*"globalSetup"/,
    },
  },
  vitest: {
    command: ['npx', 'vitest', 'run'],
    counts: byNumbers(/^ *Tests .*?(\d+) passed/m, /^ *Tests .*?(\d+) failed/m),
    noReset: { file: 'issues.test.ts', from: '({ stithy })', to: '({ stithyServer: stithy })' },
    wrong: { file: 'issues.test.ts', from: 'toBe(5)', to: 'toBe(6)' },
  },
  playwright: {
    command: ['npx', 'playwright', 'test'],
    counts: byNumbers(/^ +(\d+) passed/m, /^ +(\d+) failed/m),
    noReset: { file: 'issues.spec.ts', from: '({ stithy, request })', to: '({ stithyServer: stithy, request })' },
    wrong: { file: 'issues.spec.ts', from: 'toBe(5)', to: 'toBe(6)' },
  },
};

const recipe = RECIPES[name];
const ofNode = OF_NODE.includes(name);
/** Where the recipe is run. Not where its packages are: that is below the `node_modules` of this project, where no tests are looked for. */
const home = join(folder, 'recipe');
const temporary = join(folder, 'tmp');
const prefix = join(folder, 'global');
const env = { PATH: pathWith(join(prefix, 'bin')), TMPDIR: temporary, NO_COLOR: '1', CI: 'true', ...recipe?.env };

/** Installs the package as the recipe's reader does, and has a seed written. */
async function prepare(): Promise<void> {
  for (const each of [home, temporary]) await mkdir(each, { recursive: true });
  const archive = await packPackage(folder);
  const npm = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  if (ofNode) {
    // As npm makes it.
    await writeFile(join(home, 'package.json'), '{"name":"recipe","version":"1.0.0","type":"commonjs"}\n');
    await must(place, 'npm', [...npm, '--no-save', archive], env);
    await symlink(join(place, 'node_modules'), join(home, 'node_modules'));
  } else {
    await must(home, 'npm', [...npm, '--global', '--prefix', prefix, archive], env);
  }
  await must(home, ofNode ? join(home, 'node_modules/.bin/stithy') : 'stithy', ['init'], env);
  if (name === 'go') await must(home, 'go', ['mod', 'init', 'example.org/forge'], env);
}

/** Puts the recipe in its place, with a change. */
async function write(change?: Change): Promise<void> {
  await cp(join(ROOT, 'recipes', name), home, { recursive: true });
  if (change === undefined) return;
  const file = join(home, change.file);
  const text = await readFile(file, 'utf8');
  assert.ok(text.includes(change.from), `${change.file} has no ${change.from}`);
  await writeFile(file, text.replaceAll(change.from, change.to));
}

/** Runs the recipe, with a change. */
async function expectCounts(
  { command: [command = '', ...args], counts }: Recipe,
  expected: number[],
  change?: Change,
): Promise<string> {
  await write(change);
  const { ok, text } = await run(home, command, args, env);
  assert.deepEqual(counts(text), expected, text);
  assert.equal(ok, expected[1] === 0, text);
  const left = (await readdir(temporary)).filter((each) => each.startsWith('stithy-ephemeral-'));
  assert.deepEqual(left, [], 'a server was left behind');
  return text;
}

async function checkTypes(file: string): Promise<void> {
  await write();
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  await must(home, join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, file], env);
}

await prepare();
const typed = TYPED[name];
const refused = recipe?.refused;
await runTests(`recipe for ${name}`, {
  ...(typed === undefined ? {} : { 'is right by its types': () => checkTypes(typed) }),
  ...(recipe === undefined
    ? {}
    : {
        'passes as it is written': () => expectCounts(recipe, [2, 0]),
        'fails in its second test where nothing is put back': () => expectCounts(recipe, [1, 1], recipe.noReset),
        'fails where it expects something else': () => expectCounts(recipe, [0, 2], recipe.wrong),
      }),
  ...(refused === undefined
    ? {}
    : {
        'is told what cannot be': async () =>
          assert.match(await expectCounts(recipe!, [0, 2], refused.change), refused.reason),
      }),
});
