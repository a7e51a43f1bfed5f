/**
 * Puts the declarations of what programs import beside the CommonJS that they describe: `node build/types.ts [from [to]]`, of folders
 * that are those of dist/ by default.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');
const [from = join(dist, 'types'), to = dist] = process.argv.slice(2);
const config = JSON.parse(await readFile(join(dist, '../tsconfig.build.json'), 'utf8')) as { files: string[] };
/** What the entries in package.json declare and all that this names; each stands by itself or names others of the list. */
const FILES = config.files.map((file) => basename(file, '.ts'));

for (const file of FILES) {
  const text = await readFile(join(from, `${file}.d.ts`), 'utf8');
  const own = text.replace(/(from|import\()( ?)'\.{1,2}\/([\w.-]+)\.ts'/g, "$1$2'./$3.cjs'");
  const [, strange] = /(?:from |import\()'(\.[^']*(?<!\.cjs))'/.exec(own) ?? [];
  const others = [...own.matchAll(/'\.\/([\w.-]+)\.cjs'/g)].map(([, name]) => name!);
  const missing = strange ?? others.find((name) => !FILES.includes(name));
  if (missing !== undefined) throw new Error(`${file}.d.ts names ${missing}, which is not published`);
  await writeFile(join(to, `${file}.d.cts`), own);
}
await rm(from, { recursive: true });
