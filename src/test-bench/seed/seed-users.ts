import { issueToken } from '../../api/identity/index.ts';
import { tokenDigest } from '../../core/core.secrets.ts';
import { equalsIgnoringCase } from '../../db/like.ts';
import { applyCollections } from './seed-collections.apply.ts';
import type { Collection } from './seed-collections.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { parametersOf } from './seed-fields.ts';

const ADMIN_SCOPES = ['sudo', 'admin_mode'];

/** What a user has that the API makes. */
const BELONGINGS: readonly Collection[] = [
  {
    key: 'emails',
    route: 'POST /users/:id/emails',
    natural: ['email'],
    short: 'email',
    defaults: { skip_confirmation: true },
  },
  { key: 'keys', route: 'POST /users/:user_id/keys', natural: ['title'], short: 'key' },
  { key: 'gpg_keys', route: 'POST /users/:id/gpg_keys', natural: ['key'], short: 'key' },
];

/** What ends the use of an account, by its state. */
const STATES: Readonly<Record<string, string>> = { blocked: 'block', deactivated: 'deactivate', banned: 'ban' };

/** Makes the users of a seed, with what they have. */
export async function applyUsers(context: SeedContext, list: unknown): Promise<void> {
  await context.each(list, (item, at) => applyUser(context, item, list, at), 'username');
}

async function applyUser(context: SeedContext, item: Item, list: unknown, at: number): Promise<void> {
  const { api, clock } = context;
  const username = item.username as string;
  const { db } = context.deps;
  const known = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('username'), username))
    .executeTakeFirst();
  clock.at(item.created_at);
  const id = known?.id ?? Number((await api.send('POST', '/users', attributesOf(item, username))).id);
  if (known === undefined) context.count('users');
  const owner = { path: `/users/${id}`, fresh: known === undefined };
  await context.each(item.tokens, (token) => applyToken(context, id, item, token), 'token');
  await applyCollections(context, BELONGINGS, { ...item, keys: titled(item.keys) }, owner);
  if (item.status !== undefined && owner.fresh) await api.send('PUT', '/user/status', item.status, { as: username });
  await applySnippets(context, item, username, owner.fresh);
  const ends = STATES[String(item.state)];
  if (ends !== undefined && owner.fresh)
    context.after(list, at, async () => void (await api.send('POST', `/users/${id}/${ends}`)));
}

function attributesOf(item: Item, username: string): Item {
  const params = Object.entries(item).filter(([key]) => parametersOf('POST /users').has(key));
  return {
    name: username.replace(
      /(^|[._-])(\w)/g,
      (_, gap: string, letter: string) => `${gap === '' ? '' : ' '}${letter.toUpperCase()}`,
    ),
    email: `${username}@example.com`,
    ...(item.password === undefined ? { force_random_password: true } : {}),
    skip_confirmation: true,
    ...Object.fromEntries(params),
  };
}

/** A title for each key: its comment, or its number. */
function titled(keys: unknown): unknown {
  if (!Array.isArray(keys)) return keys;
  for (const [at, value] of keys.entries()) {
    const key: Item = typeof value === 'string' ? { key: value } : (value as Item);
    const comment = String(key.key).trim().split(/\s+/).slice(2).join(' ');
    keys[at] = { title: comment === '' ? `Key ${at + 1}` : comment, ...key };
  }
  return keys;
}

/** Issues a token whose text is known beforehand. */
async function applyToken({ deps, clock, count }: SeedContext, userId: number, user: Item, item: Item): Promise<void> {
  const token = item.token as string;
  const scopes = (item.scopes as string[] | undefined) ?? ['api'];
  const digest = tokenDigest(token);
  const known = await deps.db
    .selectFrom('access_tokens')
    .select('user_id')
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (known !== undefined && known.user_id !== userId) throw new SeedMistake('another user has this token');
  if (known !== undefined) return;
  const of = await deps.db.selectFrom('users').select('admin').where('id', '=', userId).executeTakeFirstOrThrow();
  const forbidden = of.admin === 1 ? undefined : scopes.find((scope) => ADMIN_SCOPES.includes(scope));
  if (forbidden !== undefined)
    throw new SeedMistake(`scopes: ${forbidden} is for administrators, and ${String(user.username)} is none`);
  clock.at(item.created_at);
  const name = (item.name as string | undefined) ?? 'seed';
  const expiresAt = (item.expires_at as string | undefined) ?? null;
  await deps.db.transaction().execute((db) => issueToken(deps, db, { userId, name, scopes, expiresAt, token }));
  count('tokens');
}

async function applySnippets(context: SeedContext, item: Item, username: string, fresh: boolean): Promise<void> {
  const { api, clock } = context;
  const known = fresh || item.snippets === undefined ? [] : await api.list('/snippets/all');
  await context.each(item.snippets, async (snippet) => {
    const isThere = known.some(
      ({ title, author, project_id: project }) =>
        title === snippet.title && project === null && (author as Item).username === username,
    );
    if (isThere) return;
    clock.at(snippet.created_at);
    const { created_at: _, ...params } = snippet;
    await api.send('POST', '/snippets', params, { as: username });
    context.count('snippets');
  });
}
