import { randomUUID } from 'node:crypto';
import { createAccount } from './api/users/account.ts';
import { timestamp } from './core/clock.ts';
import { hashPassword, randomText, tokenDigest } from './core/secrets.ts';
import type { Deps } from './deps.ts';

/** Scopes of the administrator's first token: everything. */
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
 * Makes what a new installation needs: its id, the administrator `root` (id 1) with a token, the folders. A token or
 * password that the configuration names is put in force at every start.
 * @returns the token, when it was made now and so is shown this once; otherwise null
 */
export async function bootstrap(deps: Deps): Promise<{ firstStart: boolean; newToken: string | null }> {
  const { db, clock, config } = deps;
  const passwordHash =
    config.rootPassword === null ? null : () => hashPassword(config.rootPassword!, config.passwordHash);
  const root = await db.selectFrom('users').select(['id', 'password_hash']).where('id', '=', 1).executeTakeFirst();
  if (root !== undefined) {
    if (config.rootToken !== null) await ensureToken(deps, config.rootToken);
    return { firstStart: false, newToken: null };
  }
  const hashed = (await passwordHash?.()) ?? null;
  const token = config.rootToken ?? `glpat-${randomText(26)}`;
  await db.transaction().execute(async (db) => {
    await db
      .insertInto('instance_values')
      .values({ key: 'instance_id', value: JSON.stringify(randomUUID()), updated_at: timestamp(clock) })
      .execute();
    await createAccount(db, clock, {
      username: 'root',
      name: 'Administrator',
      email: 'admin@example.com',
      admin: true,
      passwordHash: hashed,
    });
    await insertToken({ ...deps, db }, token);
  });
  return { firstStart: true, newToken: config.rootToken === null ? token : null };
}

async function ensureToken(deps: Deps, token: string): Promise<void> {
  const digest = tokenDigest(token);
  const known = await deps.db.selectFrom('access_tokens').select('id').where('digest', '=', digest).executeTakeFirst();
  if (known === undefined) await insertToken(deps, token);
}

async function insertToken({ db, clock }: Deps, token: string): Promise<void> {
  await db
    .insertInto('access_tokens')
    .values({
      user_id: 1,
      name: 'root token',
      description: 'Made by the server at its start.',
      digest: tokenDigest(token),
      scopes: JSON.stringify(ROOT_SCOPES),
      created_at: timestamp(clock),
    })
    .execute();
}
