import assert from 'node:assert/strict';
import { globSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { StorageMove } from '../../src/db/tables/storage-moves.table.ts';
import type { TestApp, TestClock } from './app.ts';

/** A move as it is now. */
export const moveNow = ({ deps }: TestApp, { id }: Pick<StorageMove, 'id'>): Promise<StorageMove> =>
  deps.db.selectFrom('repository_storage_moves').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const pathOf = ({ deps }: TestApp, storage: string): string =>
  deps.storages.list.find(({ name }) => name === storage)!.path;

/** Repositories on a storage, also such as are being made or removed. */
export const onDisk = (app: TestApp, storage: string): string[] =>
  globSync('@hashed/*/*/*', { cwd: pathOf(app, storage) });

/** Takes moves to their end, and removes what is left of them. @returns the one that is named */
export async function finishMove(app: TestApp, clock: TestClock, move: Pick<StorageMove, 'id'>): Promise<StorageMove> {
  await app.drain();
  // By then it was looked what became of every copy.
  clock.advance(700_000);
  await app.drain();
  return moveNow(app, move);
}

/**
 * Has something happen before each file that is copied to a storage while `work` goes on; what it throws is thrown by the copy.
 * @param act is told how many files were copied before
 */
export async function whileCopying(
  app: TestApp,
  storage: string,
  act: (copied: number) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const { copyFile } = promises;
  const into = pathOf(app, storage);
  let copied = 0;
  promises.copyFile = async (from, to, mode) => {
    if (String(to).startsWith(into)) {
      copied += 1;
      await act(copied - 1);
    }
    return copyFile(from, to, mode);
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    promises.copyFile = copyFile;
    syncBuiltinESMExports();
  }
  assert.ok(copied > 0, 'nothing was copied');
}
