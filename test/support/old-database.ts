import { existsSync, mkdirSync } from 'node:fs';
import { sql } from 'kysely';
import { loadConfig } from '../../src/config/config.ts';
import { connect } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { readHistory } from '../../src/db/migration-history.ts';
import { migrations } from '../../src/db/migrations/index.ts';

/** A user of the databases that `makeOldDatabase` makes. */
export const OLD_USER = 'long-time-user';

const ROWS = 20_000;

const databaseOf = (dataDir: string, settings: Readonly<Record<string, string>>) =>
  loadConfig({ STITHY_DATA_DIR: dataDir, ...settings }).config.database;

/**
 * Makes the database of a server that had the first migration alone, with an administrator, a user and enough rows for
 * an upgrade to take its time.
 * @param settings where the database is, as the server gets them
 */
export async function makeOldDatabase(dataDir: string, settings: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const config = databaseOf(dataDir, settings);
  const { db, close } = await connect(config);
  const now = new Date().toISOString();
  try {
    const [first] = Object.entries(migrations);
    await migrate(db, config.kind, { known: Object.fromEntries([first!]) });
    await db.transaction().execute(async (db) => {
      for (const [name, admin] of [
        ['root', 1],
        [OLD_USER, 0],
      ] as const) {
        await sql`insert into users (username, name, email, admin, created_at, updated_at, confirmed_at)
          values (${name}, ${name}, ${`${name}@example.com`}, ${admin}, ${now}, ${now}, ${now})`.execute(db);
        await sql`insert into namespaces (kind, name, path, full_path, lineage, owner_id, visibility, created_at, updated_at)
          select 'user', username, username, username, '/' || id || '/', id, 'public', created_at, created_at
          from users where username = ${name}`.execute(db);
      }
      await sql`insert into instance_values (key, value) values ('instance_id', '"old"')`.execute(db);
      await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ROWS)})
        insert into instance_values (key, value) select 'row-' || i, '"some text that fills the page"' from n`.execute(
        db,
      );
    });
  } finally {
    await close();
  }
}

/** How many migrations a database has that no server runs on; 0 where there is none. */
export async function rowsOfHistory(dataDir: string, settings: Readonly<Record<string, string>>): Promise<number> {
  const config = databaseOf(dataDir, settings);
  if (config.kind === 'sqlite' && !existsSync(config.path)) return 0;
  const { db, close } = await connect(config);
  try {
    return (await readHistory(db, config.kind)).length;
  } finally {
    await close();
  }
}
