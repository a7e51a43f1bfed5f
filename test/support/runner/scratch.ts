import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
/** The largest amount that a run has held at once is a third of it. */
const ROOM = 2 * 1024 ** 3;
/** What has to be left for the tests themselves. */
const SPARE = 3 * 1024 ** 3;
const PREFIX = 'stithy-tests-';

export interface Scratch {
  path: string;
  remove(): void;
}

/** Memory that is to be had without swapping, in bytes; 0 where nothing tells. */
function availableMemory(): number {
  try {
    const match = /^MemAvailable: +(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    return Number(match?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function holdsEnough(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM && availableMemory() >= ROOM + SPARE;
}

const lives = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** Folders of runs that were killed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !lives(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * Makes the folder that everything temporary of a run of the tests goes to. It lies in memory where there is enough,
 * because the program waits for the disk at every write, as it must, and tests are nearly nothing but writes; what tests
 * tell about durability they tell by what the program asks of the system, and by killing it.
 */
export function makeScratch(): Scratch {
  const parent = holdsEnough(MEMORY_DISK) ? MEMORY_DISK : tmpdir();
  removeLeftovers(parent);
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
