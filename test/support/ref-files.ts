import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commit that a ref names, as the files of a repository say: a process of git for it would cost more than most commits. */
export function readRef(dir: string, ref: string): string | undefined {
  const loose = join(dir, ref);
  if (existsSync(loose)) return readFileSync(loose, 'utf8').trim();
  const packed = join(dir, 'packed-refs');
  if (!existsSync(packed)) return undefined;
  const line = readFileSync(packed, 'utf8')
    .split('\n')
    .find((text) => text.endsWith(` ${ref}`));
  return line?.split(' ')[0];
}

/** The commit that is checked out in a work tree. @throws Error where there is none */
export function headOf(tree: string): string {
  const dir = join(tree, '.git');
  const head = readFileSync(join(dir, 'HEAD'), 'utf8').trim();
  const oid = head.startsWith('ref: ') ? readRef(dir, head.slice('ref: '.length)) : head;
  if (oid === undefined) throw new Error(`There is no commit at ${head} of ${tree}.`);
  return oid;
}
