import { revokeToken } from '../api/identity/index.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { StartupError } from '../core/startup-error.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { limitOf, onDatabase, parseCommand, printsHelp } from './command.ts';

const LISTED = 100;

const HELP = `Usage: stithy tokens [list] [--user NAME] [--limit N] [--json]
       stithy tokens revoke ID

Manages access tokens, whether the server runs or not. The tokens themselves are never shown, because only their hashes
are stored.

  list     list tokens that are not revoked, newest first; --user selects one user (default limit: ${LISTED})
  revoke   revoke a token by its id immediately
`;

/** `stithy tokens`: lists or revokes access tokens. */
export async function tokensCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const order = readArguments(args);
  return onDatabase(env, (db) => (order.id === null ? list(db, order) : revoke(db, order.id)));
}

interface Order {
  /** Id of the token to revoke; null for a list. */
  id: number | null;
  user: string | undefined;
  limit: number;
  json: boolean;
}

const readArguments = (args: readonly string[]): Order =>
  parseCommand(
    args,
    HELP,
    { user: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean', default: false } },
    ({ values: { user, json, ...values }, positionals }) => {
      const [action = 'list', id, ...rest] = positionals;
      const limit = limitOf(values.limit, LISTED);
      if (rest.length > 0) throw new Error(`unexpected argument "${rest[0]}".`);
      if (action === 'list' && id === undefined) return { id: null, user, limit, json };
      if (action !== 'revoke') throw new Error(`unknown command "stithy tokens ${action}".`);
      if (id === undefined || !/^[1-9]\d{0,14}$/.test(id)) throw new Error('"stithy tokens revoke" needs a token id.');
      return { id: Number(id), user: undefined, limit, json };
    },
  );

async function list(db: Db, { user, limit, json }: Order): Promise<string> {
  let query = db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select([
      'access_tokens.id',
      'users.username',
      'access_tokens.name',
      'access_tokens.scopes',
      'access_tokens.created_at',
      'access_tokens.expires_at',
    ])
    .where('access_tokens.revoked', '=', 0);
  if (user !== undefined) query = query.where('users.username', '=', user);
  const rows = await query.orderBy('access_tokens.id', 'desc').limit(limit).execute();
  const tokens = rows.map((row) => ({ ...row, scopes: parseJson<string[]>(row.scopes) }));
  if (json) return `${JSON.stringify(tokens, null, 2)}\n`;
  if (tokens.length === 0) return 'No tokens found.\n';
  const lines = tokens.map(
    ({ id, username, name, scopes, expires_at }) =>
      `${id}  ${username}  ${JSON.stringify(name)}  ${scopes.join(',')}  ${expires_at === null ? 'never expires' : `until ${expires_at}`}`,
  );
  return `${lines.join('\n')}\n`;
}

async function revoke(db: Db, id: number): Promise<string> {
  const token = await db.selectFrom('access_tokens').select('id').where('id', '=', id).executeTakeFirst();
  if (token === undefined) throw new StartupError(`There is no token ${id}.`);
  await db.transaction().execute((db) => revokeToken({ clock: systemClock }, db, id));
  return `Token ${id} has been revoked.\n`;
}
