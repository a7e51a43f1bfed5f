import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { emptyDatabase, type TestDatabase } from './databases.ts';

/** Engines of restored installations: that of the tests, and the embedded one where that is another. */
export const enginesToRestoreTo = (): readonly ('same' | 'sqlite')[] =>
  process.env.STITHY_TEST_POSTGRES ? ['same', 'sqlite'] : ['same'];

/**
 * The settings of an installation that is not there yet, with the storages of the test's server, for what a backup is restored to.
 * @param engine `same` as that of the tests
 * @param cleanUps gets what removes it
 */
export async function emptyPlace(
  engine: 'same' | 'sqlite',
  cleanUps: (() => Promise<unknown>)[],
  storages: readonly string[] = ['default', 'second'],
): Promise<Config> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stithy-restored-'));
  const database: TestDatabase = engine === 'same' ? await emptyDatabase() : { url: null, drop: async () => {} };
  cleanUps.push(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });
  return loadConfig({
    STITHY_PORT: '0',
    STITHY_DATA_DIR: dataDir,
    STITHY_STORAGES: storages.map((name) => `${name}=${join(dataDir, name)}`).join(','),
    STITHY_SYNC: 'off',
    ...(database.url === null ? {} : { STITHY_DATABASE_URL: database.url }),
  }).config;
}
