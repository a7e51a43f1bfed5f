import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BYTE_CACHES, ENTRY_CACHES } from '../src/core/cache/index.ts';

const PAGE = 'src/core/cache/README.md';
const MiB = 1024 * 1024;

test('the page about what is kept in memory has every cache with its scope and size', () => {
  const page = readFileSync(join(import.meta.dirname, '..', PAGE), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (.*)$/gm)].map(([, scope, row]) => ({ scope, row: row! }));
  const bounds = [
    ...Object.entries(BYTE_CACHES).map(([name, { scope, bytes }]) => ({ name, scope, size: `${bytes / MiB}` })),
    ...Object.entries(ENTRY_CACHES).map(([name, { scope, entries }]) => {
      return { name, scope, size: `${entries.toLocaleString('en')}n` };
    }),
  ];
  const missing = bounds.filter(
    ({ name, scope, size }) => !rows.some((each) => each.scope === scope && each.row.includes(`\`${name}\` ${size}`)),
  );
  assert.deepEqual(missing, [], `${PAGE} does not say these`);
});
