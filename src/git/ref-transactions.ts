import { lstat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing, syncIfThere, syncPath } from './durable.ts';
import { GitError } from './errors.ts';
import { isOid } from './objects.ts';
import { KeyedQueue } from './queue.ts';
import { isValidRefName } from './ref-name.ts';
import { type RefUpdate, refusal, UpdateRef, type UpdateRefFailure } from './update-ref.ts';
import { orRelease, type WarmMember, type WarmSlot, type WarmSlots } from './warm-slots.ts';

const MAX_WAITING = 1_000;
const MAX_UPDATES = 100_000;

function checkUpdates(updates: readonly RefUpdate[]): void {
  if (updates.length > MAX_UPDATES) throw new GitError('invalid', 'too many updates in one transaction');
  for (const update of updates) {
    if (!isValidRefName(update.ref)) throw new GitError('invalid', 'not a valid reference name');
    for (const oid of [update.old, update.new]) {
      if (typeof oid === 'string' && (!isOid(oid) || /^0+$/.test(oid)))
        throw new GitError('invalid', 'not an object id');
    }
    if (update.new === null && update.old === null) throw new GitError('invalid', 'deletes what must not exist');
  }
}

/** Changes the references of one repository, one transaction at a time, through a warm `git update-ref`. */
export class RefTransactions {
  readonly #dir: string;
  readonly #slots: WarmSlots;
  readonly #queue = new KeyedQueue({ maxWaiting: MAX_WAITING });
  #process: UpdateRef | undefined;
  #slot: WarmSlot | undefined;

  constructor(dir: string, slots: WarmSlots) {
    this.#dir = dir;
    this.#slots = slots;
  }

  /** Lets the warm process end once it is done; the next transaction starts another. */
  retire(): void {
    this.#process?.retire();
    this.#process = undefined;
  }

  /**
   * Applies all updates or none; durable when it fulfils.
   * @param readNow gives what references hold, to learn the outcome where git died in between
   * @throws GitError `conflict`, `locked`, `invalid`, `corrupt`, `busy`, `failed`
   */
  async run(updates: readonly RefUpdate[], readNow: (ref: string) => Promise<string | null>): Promise<void> {
    checkUpdates(updates);
    if (updates.length === 0) return;
    await this.#queue.run('', async () => {
      const fresh = await this.#missingFolders(updates);
      await this.#apply(updates, readNow);
      await this.#sync(updates, fresh);
    });
  }

  async #apply(updates: readonly RefUpdate[], readNow: (ref: string) => Promise<string | null>): Promise<void> {
    let open = updates;
    for (let attempt = 1; ; attempt += 1) {
      const started = Date.now();
      const failure = await this.#attempt(open);
      if (failure === null) return;
      if (!failure.unknown && (failure.stderr !== '' || attempt > 1)) throw refusal(failure.stderr);
      if (!failure.unknown) continue;
      // The process was killed, perhaps between two references: finish what it left.
      const left: RefUpdate[] = [];
      for (const update of open) {
        if ((await readNow(update.ref)) !== update.new) left.push(update);
        await removeLockSince(join(this.#dir, `${update.ref}.lock`), started);
      }
      if (left.length === 0) return;
      if (attempt > 1) throw new GitError('failed', `update-ref ended without an answer: ${failure.stderr.trim()}`);
      open = left;
    }
  }

  async #attempt(updates: readonly RefUpdate[]): Promise<UpdateRefFailure | null> {
    const oid = updates.map((update) => update.new ?? update.old).find((value) => typeof value === 'string');
    const usable = this.#process?.usable ? this.#process : undefined;
    const slot = usable === undefined ? await this.#slots.take() : this.#slot!;
    const process = usable ?? this.#start(slot);
    const running = process.run(updates, oid?.length ?? 40);
    // Held only now: the slot may have to be given back at once, which ends the process after its work.
    if (usable === undefined) slot.hold(this.#member(process));
    const failure = await running;
    slot.touch();
    if (!process.usable) this.retire();
    return failure;
  }

  #start(slot: WarmSlot): UpdateRef {
    const process: UpdateRef = orRelease(slot, () => {
      return new UpdateRef(this.#dir, () => {
        if (this.#process === process) this.#process = undefined;
        slot.release();
      });
    });
    this.#process = process;
    this.#slot = slot;
    return process;
  }

  #member(process: UpdateRef): WarmMember {
    return {
      get idle() {
        return !process.busy;
      },
      retire: () => {
        if (this.#process === process) this.#process = undefined;
        process.retire();
      },
      check: (now) => process.check(now),
    };
  }

  /** The folders that git will have to make, so that the entries naming them are synced too. */
  async #missingFolders(updates: readonly RefUpdate[]): Promise<Set<string>> {
    const folders = new Set(updates.map((update) => dirname(update.ref)));
    const missing = new Set<string>();
    for (const folder of folders) {
      for (let at = folder; at !== 'refs' && at !== '.'; at = dirname(at)) {
        if (missing.has(at) || (await isFolder(join(this.#dir, at)))) break;
        missing.add(at);
      }
    }
    return missing;
  }

  async #sync(updates: readonly RefUpdate[], fresh: ReadonlySet<string>): Promise<void> {
    const folders = new Set(updates.map((update) => dirname(update.ref)));
    for (const folder of fresh) folders.add(dirname(folder));
    const synced = [...folders].map(async (folder) => {
      // A deletion also removes folders that it leaves empty.
      for (let at = folder; at !== '.'; at = dirname(at)) if (await syncIfThere(join(this.#dir, at))) return;
    });
    const deletes = updates.some((update) => update.new === null);
    await Promise.all([...synced, ...(deletes ? [syncPath(this.#dir)] : [])]);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Removes the lock that our own killed process left; one that is older belongs to somebody else. */
async function removeLockSince(path: string, startedMs: number): Promise<void> {
  try {
    if ((await lstat(path)).mtimeMs >= startedMs - 10) await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
