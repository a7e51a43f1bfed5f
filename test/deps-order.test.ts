import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: { name: string }[] };
const IN_ORDER = 'rooms-in-order-';
/** The folders of src from the bottom to the top, without the last. */
const rooms = forbidden.flatMap(({ name }) => (name.startsWith(IN_ORDER) ? [name.slice(IN_ORDER.length)] : []));
const placeOf = (room: string): number => (rooms.includes(room) ? rooms.indexOf(room) : rooms.length);

const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const deps = text('src/deps.ts');
/** Folder of each type that deps.ts imports. */
const homes = new Map<string, string>();
for (const [, names, home] of deps.matchAll(/^import type \{ ([^}]+) \} from '\.\/([^/']+)\//gm)) {
  for (const name of names!.split(', ')) homes.set(name, home!);
}
/** The highest folder that the type of each part of Deps comes from. */
const parts = new Map<string, string>();
for (const [, part, type] of deps.matchAll(/^ {2}readonly (\w+): (.+);$/gm)) {
  const named = [...type!.matchAll(/\w+/g)].flatMap(([name]) => homes.get(name) ?? []);
  parts.set(
    part!,
    named.reduce((highest, home) => (placeOf(home) > placeOf(highest) ? home : highest), 'core'),
  );
}

/** Parts of Deps that a file uses: of a variable, in a parameter, or in `Pick`. */
function partsUsed(code: string): Set<string> {
  const used = [...code.matchAll(/\bdeps\??\.(\w+)/gi)].map(([, part]) => part!);
  for (const [, names] of code.matchAll(/Pick<Deps, ([^>]+)>/g)) used.push(...(names!.match(/\w+/g) ?? []));
  for (const [, names] of code.matchAll(/\{([^{}]*)\}(?:: Deps\b| = (?:\w+\.|this\.#)?deps;)/g)) {
    used.push(...names!.split(',').map((name) => name.split(':')[0]!.trim()));
  }
  return new Set(used.filter((part) => parts.has(part)));
}

test('no folder uses a part of deps that comes from a folder above it', () => {
  assert.equal(parts.get('passwords'), 'access');
  assert.equal(parts.get('jobs'), 'jobs');
  const upwards: string[] = [];
  let seen = 0;
  for (const file of globSync('src/*/**/*.ts', { cwd: root }).map((name) => name.replaceAll('\\', '/'))) {
    if (file.endsWith('.test.ts')) continue;
    const room = file.split('/')[1]!;
    for (const part of partsUsed(text(file))) {
      seen += 1;
      const home = parts.get(part)!;
      if (placeOf(home) > placeOf(room)) upwards.push(`${file} uses deps.${part} of ${home}`);
    }
  }
  assert.deepEqual(upwards, []);
  assert.ok(seen > 1_000, `only ${seen} uses were found`);
});

test('nothing sets a part of deps later: what others add goes into an extension point', () => {
  const setters = globSync('src/**/*.ts', { cwd: root }).filter((file) => {
    if (file.endsWith('.test.ts')) return false;
    return /\bObject\.assign\((?:\w+\.)*deps\b|\bdeps\.\w+ = /.test(text(file));
  });
  assert.deepEqual(setters, []);
});

test('the document names the folders in this order, from the top', () => {
  const listed = [...text('docs/architecture.md').matchAll(/^ {2}([a-z-]+)\/ {2,}/gm)].map(([, name]) => name!);
  assert.deepEqual(listed.reverse().slice(0, -1), rooms);
});
