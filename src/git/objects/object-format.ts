import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectFormat } from '../common/index.ts';

/** Object format of a repository, from its configuration file. */
export async function objectFormatOf(dir: string): Promise<ObjectFormat> {
  const text = await readFile(join(dir, 'config'), 'utf8');
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(text) ? 'sha256' : 'sha1';
}
