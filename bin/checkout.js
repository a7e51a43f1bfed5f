// In a checkout: makes the bundle when a source is newer than it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** What the bundle is made of. Folders count as well: their time tells of files that were removed. */
const SOURCES = ['src', 'build', 'package.json', 'node_modules/.package-lock.json'];

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** When anything in a folder was changed last; tests are no part of the program. */
function newest(path) {
  let latest = changedAt(path);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name.endsWith('.test.ts')) continue;
    const inner = join(path, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(inner) : changedAt(inner));
  }
  return latest;
}

function isFresh() {
  const made = changedAt(join(root, 'dist/main.cjs'));
  if (made === 0) return false;
  return SOURCES.every((name) => {
    const path = join(root, name);
    return (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? newest(path) : changedAt(path)) <= made;
  });
}

/**
 * Sees to it that dist/ is what the sources say.
 * @returns false when it cannot be made: in a folder of somebody else's, or because a source has a mistake, of which
 * running the sources then tells
 */
export async function makeBundle() {
  if (isFresh()) return true;
  const child = spawn(process.execPath, [join(root, 'build/bundle.ts')], { stdio: ['ignore', 'ignore', 'ignore'] });
  const [code] = await once(child, 'exit');
  return code === 0;
}
