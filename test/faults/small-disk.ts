import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from './experiment.ts';

/** Takes every block that is left, for a file `filler`. */
export function fill(disk: string): void {
  const handle = openSync(join(disk, 'filler'), 'w');
  try {
    for (const size of [1024 * 1024, 4_096, 1]) {
      const bytes = Buffer.alloc(size, 1);
      try {
        for (;;) writeSync(handle, bytes);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      }
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * Does something with a file system of its own, which is small; nothing where this user may not mount one.
 * @param size as `mount` takes it
 */
export async function onSmallDisk(lab: Lab, size: string, work: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(lab.folder, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'stithy-fault', disk], { stdio: 'ignore' });
  } catch {
    lab.say('left out: this user may not mount a small file system');
    return;
  }
  try {
    await work(disk);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
  }
}
