import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { type Entry, extract } from 'tar-stream';
import { MAX_SEED_BYTES } from '../seed/seed-document.ts';
import { manifestOf } from '../seed/seed-packages.ts';
import { type Answer, compact, type ExportSource, listAll, listById, pick, textOrBase64 } from './export-source.ts';

/** Addresses of a package's files below the packages of its project. */
const ADDRESSES: Readonly<Record<string, (one: Answer, file: string) => string>> = {
  generic: ({ name, version }, file) => ['generic', name, version, file].map(segment).join('/'),
  npm: ({ name }, file) => `npm/${String(name)}/-/${file}`,
  maven: ({ name, version }, file) => `maven/${String(name)}/${segment(version)}/${segment(file)}`,
};

const segment = (text: unknown): string => encodeURIComponent(String(text));

/** The packages of a project that a seed can have. @param path of it */
export async function packagesOf(source: ExportSource, path: string): Promise<Answer[]> {
  const exported: Answer[] = [];
  for (const one of await listById(source, `${path}/packages`)) {
    const type = String(one.package_type);
    const addressOf = ADDRESSES[type];
    // The files of Maven that belong to no version are made by the server.
    if (addressOf === undefined || typeof one.version !== 'string') continue;
    const files = new Map<string, Buffer>();
    for (const { file_name: name } of await listAll(source, `${path}/packages/${String(one.id)}/package_files`)) {
      const bytes = await source.bytes(`${path}/packages/${addressOf(one, String(name))}`);
      if (bytes !== null) files.set(String(name), bytes);
    }
    exported.push({
      ...pick(one, ['name', 'version', 'created_at']),
      ...(type === 'generic' ? {} : { package_type: type }),
      ...compact({ files: type === 'npm' ? await contentOfNpm(one, files) : written(files) }),
    });
  }
  return exported;
}

const written = (files: ReadonlyMap<string, Buffer>): Answer =>
  Object.fromEntries([...files].map(([name, bytes]) => [name, textOrBase64(bytes)]));

/** What the archive of an npm package holds beyond what a seed puts there by itself; undefined if that is too much for one. */
async function contentOfNpm(one: Answer, archives: ReadonlyMap<string, Buffer>): Promise<Answer | undefined> {
  const files = new Map<string, Buffer>();
  let size = 0;
  for (const archive of archives.values()) {
    const reading = Readable.from([archive]).pipe(createGunzip()).pipe(extract());
    for await (const entry of reading as AsyncIterable<Entry>) {
      const { name, type, size: bytesOfFile = 0 } = entry.header;
      size += bytesOfFile;
      if (size > MAX_SEED_BYTES) return undefined;
      const bytes = await buffer(entry);
      if (type === 'file') files.set(name.replace(/^[^/]*\//, ''), bytes);
    }
  }
  if (files.get('package.json')?.toString('utf8') === manifestOf(one)) files.delete('package.json');
  return files.size === 0 ? undefined : written(files);
}
