import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectFormatOf } from '../objects/index.ts';
import { type Repository, RepositoryPool } from './git.repository.ts';

/**
 * Lets `work` read the objects of two repositories as one, through alternates. Nothing is copied, so objects of one do
 * not become visible in the other. The temporary repository has no references.
 * @returns the result of `work`; null if the object formats differ
 */
export async function withAlternates<T>(
  a: Repository,
  b: Repository,
  work: (combined: Repository) => Promise<T>,
): Promise<T | null> {
  const format = await objectFormatOf(a.dir);
  if (format !== (await objectFormatOf(b.dir))) return null;
  const dir = await mkdtemp(join(tmpdir(), 'stithy-joined-'));
  const pool = new RepositoryPool({
    maxRepositories: 1,
    maxProcesses: 2,
    cacheBytes: 4 * 1024 * 1024,
    blockBytes: 4 * 1024 * 1024,
    baseBytes: 4 * 1024 * 1024,
  });
  try {
    await mkdir(join(dir, 'objects', 'info'), { recursive: true });
    await mkdir(join(dir, 'refs'));
    await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/main\n');
    const version = format === 'sha1' ? 0 : 1;
    const extension = format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${format}\n`;
    await writeFile(join(dir, 'config'), `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${extension}`);
    const sources = [a.dir, b.dir].map((each) => `${join(each, 'objects')}\n`);
    await writeFile(join(dir, 'objects', 'info', 'alternates'), sources.join(''));
    return await work(pool.get(`${a.id}+${b.id}`, dir));
  } finally {
    await pool.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
