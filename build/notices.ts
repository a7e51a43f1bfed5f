import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** The licence that a package comes with; its name where there is no text. */
async function licenceOf(folder: string, { license = 'no licence named' }: Manifest): Promise<string> {
  const name = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  return name === undefined ? license : (await readFile(join(folder, name), 'utf8')).trim();
}

/** Writes the names and licences of all packages that the bundle holds code of. */
export async function writeNotices(chunks: readonly OutputChunk[], root: string, file: string): Promise<void> {
  const ids = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .map((id) => join(root, id.startsWith(root) ? id.slice(root.length) : id));
  const folders = new Set(ids.flatMap((id) => PACKAGE.exec(id)?.[0] ?? []));
  const notices: string[] = [];
  for (const folder of [...folders].sort()) {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    notices.push(`${manifest.name} ${manifest.version}\n\n${await licenceOf(folder, manifest)}\n`);
  }
  await writeFile(file, notices.join(`\n${'-'.repeat(80)}\n\n`));
}
