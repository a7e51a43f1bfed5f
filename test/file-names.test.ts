import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
/** What a file of a resource holds; its name begins with that of the resource: `issues.routes.ts`, `issues.list-routes.ts`. */
const PARTS =
  '(?:[a-z0-9-]+-)?(?:routes|inputs|responses|views|view-rows|queries|rules|rights|writes)|find|list|access|background';
const files = globSync('src/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));

test('a file name occurs once, so that a tab says what it shows', () => {
  const first = new Map<string, string>();
  const twice: string[] = [];
  for (const file of files) {
    const name = basename(file);
    if (name === 'index.ts') continue;
    const other = first.get(name);
    if (other === undefined) first.set(name, file);
    else twice.push(`${file} is called as ${other} is: begin its name with that of its folder, as in issues.list.ts`);
  }
  assert.deepEqual(twice, []);
});

test('files of a resource begin with its name', () => {
  const bare = new RegExp(`^src/api/[^/]+/.+/(?:${PARTS})\\.ts$`);
  assert.deepEqual(
    files.filter((file) => bare.test(file)),
    [],
  );
});
