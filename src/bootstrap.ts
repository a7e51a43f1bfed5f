import { randomUUID } from 'node:crypto';
import { createAccount } from './api/identity/index.ts';
import { timestamp } from './core/clock.ts';
import { hashPassword, randomText, tokenDigest } from './core/core.secrets.ts';
import { setSequence } from './db/dump/catalog.ts';
import type { Deps } from './deps.ts';

/** Name of the installation id among the instance values. */
const INSTANCE_ID = 'instance_id';
/** Scopes of the administrator's first token: all of them. */
const ROOT_SCOPES = [
  'api',
  'read_api',
  'read_user',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'sudo',
  'admin_mode',
  'create_runner',
  'manage_runner',
];

/**
 * Sets up a new installation: its id and the administrator `root` (id 1). A token in the configuration is applied at
 * every start.
 * @returns whether the installation is new
 */
export async function bootstrap(deps: Deps): Promise<boolean> {
  const { db, clock, config } = deps;
  const root = await db.selectFrom('users').select('id').where('id', '=', 1).executeTakeFirst();
  if (root === undefined) {
    const passwordHash =
      config.rootPassword === null ? null : await hashPassword(config.rootPassword, config.passwordHash);
    await db.transaction().execute(async (db) => {
      await db
        .insertInto('instance_values')
        .values({ key: INSTANCE_ID, value: JSON.stringify(randomUUID()), updated_at: timestamp(clock) })
        .execute();
      // PostgreSQL does not give back the id that a first start used before it was killed here. No other server can be
      // here: the id of the installation, inserted above, is unique.
      await setSequence(db, config.database.kind, 'users', 0);
      await createAccount(db, clock, {
        username: 'root',
        name: 'Administrator',
        email: 'admin@example.com',
        admin: true,
        passwordHash,
      });
    });
  }
  if (config.rootToken !== null) await ensureToken(deps, config.rootToken);
  return root === undefined;
}

/**
 * Creates the administrator's first token, unless one was created before or the configuration contains one.
 * @returns the token, which cannot be shown again; null if none was created
 */
export async function makeFirstToken(deps: Deps): Promise<string | null> {
  const known = await deps.db
    .selectFrom('access_tokens')
    .select('id')
    .where('user_id', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return known === undefined ? makeRootToken(deps) : null;
}

/** Creates a token of the administrator with all scopes. @returns the token, of which only a hash is stored */
export async function makeRootToken(deps: Pick<Deps, 'db' | 'clock'>): Promise<string> {
  const token = `glpat-${randomText(26)}`;
  await insertToken(deps, token);
  return token;
}

async function ensureToken(deps: Deps, token: string): Promise<void> {
  const digest = tokenDigest(token);
  const known = await deps.db.selectFrom('access_tokens').select('id').where('digest', '=', digest).executeTakeFirst();
  if (known === undefined) await insertToken(deps, token);
}

async function insertToken({ db, clock }: Pick<Deps, 'db' | 'clock'>, token: string): Promise<void> {
  await db
    .insertInto('access_tokens')
    .values({
      user_id: 1,
      name: 'root token',
      description: 'Made by the server or the command `stithy token`.',
      digest: tokenDigest(token),
      scopes: JSON.stringify(ROOT_SCOPES),
      created_at: timestamp(clock),
    })
    .execute();
}
