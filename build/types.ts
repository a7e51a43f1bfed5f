/** Puts the declarations of what programs import into dist/, beside the CommonJS that they describe. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');
const types = join(dist, 'types');
/** What the entries in package.json declare and all that this names; each stands by itself or names others of the list. */
const FILES = ['index', 'instance.types', 'instance-client', 'test-fixtures', 'vitest', 'playwright', 'node-test'];

for (const file of FILES) {
  const text = await readFile(join(types, `${file}.d.ts`), 'utf8');
  const own = text.replace(/(from|import\()( ?)'\.{1,2}\/([\w.-]+)\.ts'/g, "$1$2'./$3.cjs'");
  const [, strange] = /(?:from |import\()'(\.[^']*(?<!\.cjs))'/.exec(own) ?? [];
  const others = [...own.matchAll(/'\.\/([\w.-]+)\.cjs'/g)].map(([, name]) => name!);
  const missing = strange ?? others.find((name) => !FILES.includes(name));
  if (missing !== undefined) throw new Error(`${file}.d.ts names ${missing}, which is not published`);
  await writeFile(join(dist, `${file}.d.cts`), own);
}
await rm(types, { recursive: true });
