/** The Chromium of the package `@sparticuz/chromium`: one compressed file, which is unpacked once into a folder of the checkout. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-stream';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache');
/** The package exports its program alone, in `build/`. */
const PACKAGE = resolve(dirname(new URL(import.meta.resolve('@sparticuz/chromium')).pathname), '..');
const NAME = 'chromium-';
/** Folders that another process may still be filling are younger. */
const ABANDONED_MS = 3_600_000;
const READ_BYTES = 1024 * 1024;
const WRITE_BYTES = 2 * 1024 * 1024;

/** A Chromium that can be started. */
export interface BrowserProgram {
  path: string;
  /** Its environment: libraries, fonts, and a home of its own. */
  env: Record<string, string>;
}

/** Why no Chromium can run on this machine; undefined where one can. */
export function whyNoBrowser(): string | undefined {
  const { platform, arch } = process;
  if (platform !== 'linux' || arch !== 'x64')
    return `the Chromium for tests runs on Linux on x64, not ${platform} on ${arch}`;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? 'the Chromium for tests needs glibc' : undefined;
}

/**
 * The program, unpacked by the first process that asks for it; several may do it at once.
 * @throws Error if the package or the disk does not have what is needed
 */
export async function browserProgram(): Promise<BrowserProgram> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `${NAME}${version}`);
  if (!existsSync(folder)) await unpackInto(folder);
  const env = {
    LD_LIBRARY_PATH: join(folder, 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    HOME: join(folder, 'home'),
    PATH: process.env.PATH ?? '',
  };
  return { path: join(folder, 'chromium'), env };
}

async function unpackInto(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await removeAbandoned(folder);
  const fresh = `${folder}.${process.pid}.${process.hrtime.bigint()}`;
  await mkdir(join(fresh, 'home'), { recursive: true });
  try {
    await unpackTar(join(PACKAGE, 'bin/al2023.tar.br'), fresh);
    await unpackTar(join(PACKAGE, 'bin/fonts.tar.br'), fresh);
    await writeFile(join(fresh, 'fonts.conf'), fontsOf(folder));
    const program = createWriteStream(join(fresh, 'chromium'), { mode: 0o755, flush: true });
    await pipeline(decompressed(join(PACKAGE, 'bin/chromium.br')), program);
    await rename(fresh, folder);
  } catch (error) {
    // Another process was there first.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

const decompressed = (file: string) =>
  createReadStream(file, { highWaterMark: READ_BYTES }).pipe(createBrotliDecompress({ chunkSize: WRITE_BYTES }));

async function unpackTar(file: string, folder: string): Promise<void> {
  const entries = extract();
  const done = pipeline(decompressed(file), entries);
  for await (const entry of entries) {
    const target = join(folder, entry.header.name);
    if (entry.header.type !== 'file') {
      entry.resume();
      continue;
    }
    await mkdir(dirname(target), { recursive: true });
    await pipeline(Readable.from(entry), createWriteStream(target, { mode: 0o755 }));
  }
  await done;
}

/** The fonts of the package, which are the same everywhere, and for what they lack those of the machine. */
const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'home/fonts')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family><family>Liberation Mono</family></prefer></alias>
</fontconfig>
`;

/** Removes earlier versions, and what processes that were killed have left. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    if (!name.startsWith(NAME) || path === folder) continue;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
