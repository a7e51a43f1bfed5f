import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { outputOf } from './support/fork-server.ts';

const root = join(import.meta.dirname, '..');

/** Files of the project: tracked ones, and new ones that git does not ignore. */
const files = outputOf('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const folders = [...new Set(files.flatMap((file) => parents(dirname(file))))];

const pages = files.filter((file) => file.endsWith('.md') && !/^(vendor|test\/fixtures\/(?!lint))/.test(file));
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));

/** Names that recipes make up. */
const MADE_UP = /bookmark|NNNN|[<*{]/i;

/** Bytes that a page, or all pages of a folder together, may have, so that they can be read whole. */
const LIMITS = { 'README.md': 6_500, 'docs/architecture.md': 24_000, 'docs/performance.md': 10_000, docs: 110_000 };

function parents(folder: string): string[] {
  return folder === '.' ? [] : [folder, ...parents(dirname(folder))];
}

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** Anchors of the headings of a page, as forges make them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string, text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path, anchor] = link.split('#') as [string, string?];
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!files.includes(target) && !folders.includes(target)) return true;
    return anchor !== undefined && !anchorsOf(texts.get(target) ?? '').includes(anchor);
  });
}

/** Whether a path, from the root or from any folder, names something of the project. */
function isThere(path: string): boolean {
  const name = path.replace(/\/$/, '');
  return (path.endsWith('/') ? folders : files).some((one) => one === name || one.endsWith(`/${name}`));
}

function lostFiles(text: string): string[] {
  const names = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);
  const paths = names.filter((name) =>
    /^[\w.-]+(\/[\w.-]+)*\.(ts|cjs|mjs|tsv)$|^(src|test|docs|build|bench|bin)\/[\w./-]*\/$/.test(name),
  );
  return paths.filter((path) => !MADE_UP.test(path) && !isThere(path));
}

const each = (find: (text: string, page: string) => string[]) =>
  [...texts].flatMap(([page, text]) => find(text, page).map((match) => `${page}: ${match}`));

test('links in documents lead somewhere, to the heading', () => {
  assert.ok(pages.length > 40);
  assert.deepEqual(
    each((text, page) => brokenLinks(page, text)),
    [],
  );
  assert.deepEqual(brokenLinks('README.md', '[a](docs/none.md) [b](docs/operating.md#none) [c](#start)'), [
    'docs/none.md',
    'docs/operating.md#none',
  ]);
});

test('files that documents name are there', () => {
  assert.deepEqual(each(lostFiles), []);
  assert.deepEqual(lostFiles('`src/none.ts`, `src/none/`, `start.ts`, `src/api/`'), ['src/none.ts', 'src/none/']);
});

test('decisions that comments name are there', () => {
  const sources = files.filter((file) => /^(src|test|build|bench|bin)\/.*(?<!\.test)\.[jt]s$/.test(file));
  const named = sources.flatMap(
    (file) => readFileSync(join(root, file), 'utf8').match(/\b(?:docs|src)\/(?:[\w-]+\/)*decisions\/[\w-]+\.md/g) ?? [],
  );
  assert.ok(named.length > 0);
  assert.deepEqual(
    named.filter((page) => !files.includes(page)),
    [],
  );
});

test('every decision is in the index', () => {
  const index = texts.get('docs/decisions/README.md')!;
  const decisions = pages.filter((page) => /\/decisions\/(?!README)/.test(page));
  assert.ok(decisions.some((page) => page.startsWith('src/')));
  assert.deepEqual(
    decisions.filter((page) => !index.includes(`](${relative('docs/decisions', page)})`)),
    [],
  );
});

test('scripts that documents name can be run', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = (text: string) => [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name]) => name!);
  assert.deepEqual(
    each((text) => named(text).filter((name) => !(name in scripts))),
    [],
  );
});

test('the operating page has every variable of the configuration, and documents name no other', () => {
  const config = readFileSync(join(root, 'src/config/config.ts'), 'utf8');
  const variables = new Set(config.match(/\bSTITHY_[A-Z_]*[A-Z]\b/g));
  const page = texts.get('docs/operating.md')!;
  assert.deepEqual(
    [...variables].filter((name) => !page.includes(`\`${name}`)),
    [],
  );
  const known = (name: string) => variables.has(name) || /^STITHY_THROTTLE_/.test(name);
  assert.deepEqual(
    each((text) => (text.match(/\bSTITHY_[A-Z_]*[A-Z]\b/g) ?? []).filter((name) => !known(name))),
    [],
  );
});

test('documents are short enough to be read whole', () => {
  const sizeOf = (path: string) =>
    files
      .filter((file) => file === path || file.startsWith(`${path}/`))
      .reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  const tooLarge = Object.entries(LIMITS).filter(([path, limit]) => sizeOf(path) > limit);
  assert.deepEqual(tooLarge, []);
});
