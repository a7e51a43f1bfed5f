import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Owner } from './seed-collections.apply.ts';
import { Existing } from './seed-collections.apply.ts';
import { contentOf } from './seed-content.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { actorOf } from './seed-params.ts';

/** Publishes the packages of a project, each as its client would. */
export async function applyPackages(context: SeedContext, list: unknown, { path, fresh }: Owner): Promise<void> {
  if (list === undefined) return;
  const existing = new Existing(fresh ? [] : await context.api.list(`${path}/packages`), [
    'name',
    'version',
    'package_type',
  ]);
  await context.each(list, async (item) => {
    const type = String(item.package_type ?? 'generic');
    if (existing.take({ name: item.name, version: item.version, package_type: type }) !== undefined) return;
    context.clock.at(item.created_at);
    const as = await actorOf(context, item, 'creator');
    if (type === 'npm') await publishNpm(context, item, path, as);
    else await publishFiles(context, item, fileAddress(type, item, path), as);
    context.count('packages');
  });
}

const segment = encodeURIComponent;

/** Address of a file by its name. */
function fileAddress(type: string, { name, version }: Item, path: string): (file: string) => string {
  if (type === 'generic')
    return (file) => `${path}/packages/generic/${segment(String(name))}/${segment(String(version))}/${segment(file)}`;
  return (file) => `${path}/packages/maven/${String(name)}/${segment(String(version))}/${segment(file)}`;
}

async function publishFiles(
  { api }: SeedContext,
  { files }: Item,
  addressOf: (file: string) => string,
  as: string | undefined,
): Promise<void> {
  const all = Object.entries((files ?? {}) as Item);
  if (all.length === 0) throw new SeedMistake('files must have at least one file');
  for (const [file, value] of all) await api.send('PUT', addressOf(file), undefined, { as, bytes: contentOf(value) });
}

/** The `package.json` of an npm package that tells none. */
export const manifestOf = ({ name, version }: Item): string =>
  JSON.stringify({ name: String(name), version: String(version) });

async function publishNpm(context: SeedContext, item: Item, path: string, as: string | undefined): Promise<void> {
  const name = String(item.name);
  const version = String(item.version);
  const manifest = { name, version };
  const files = { 'package.json': manifestOf(item), ...((item.files ?? {}) as Item) };
  const archive = await tarballOf(files);
  const file = `${name}-${version}.tgz`;
  const dist = {
    shasum: createHash('sha1').update(archive).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    tarball: file,
  };
  const document = {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    _attachments: {
      [file]: { content_type: 'application/octet-stream', data: archive.toString('base64'), length: archive.length },
    },
  };
  await context.api.send('PUT', `${path}/packages/npm/${segment(name)}`, document, { as });
}

/** The archive of an npm package: always the same for the same files. */
async function tarballOf(files: Item): Promise<Buffer> {
  const tar = pack();
  const mtime = new Date('2000-01-01T00:00:00Z');
  for (const [path, value] of Object.entries(files)) tar.entry({ name: `package/${path}`, mtime }, contentOf(value));
  tar.finalize();
  return gzipSync(await buffer(tar));
}
