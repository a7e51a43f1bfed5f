import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, invalidModel, invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import { type Ids, prepared } from '../../../db/prepared.ts';
import type { Deps } from '../../../deps.ts';

/** Identity of a user at an external provider. */
export interface Identity {
  provider: string;
  extern_uid: string;
}

const MAX_LENGTH = 255;

/**
 * The identity given by parameters; undefined for none.
 * @throws ApiError 400 if one of the two parameters is missing
 */
export function identityOfInput({ provider, extern_uid }: Partial<Identity>): Identity | undefined {
  if (provider === undefined && extern_uid === undefined) return undefined;
  if (provider === undefined || extern_uid === undefined) {
    throw invalidParameter('extern_uid, provider provide all or none of parameters');
  }
  return { provider, extern_uid };
}

function errorsOf({ provider, extern_uid }: Identity): FieldErrors {
  const check = (value: string) => {
    if (value.trim() === '' || /\p{Cc}/u.test(value)) return [value.trim() === '' ? "can't be blank" : 'is invalid'];
    return value.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : [];
  };
  const errors = { provider: check(provider), extern_uid: check(extern_uid) };
  return Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));
}

/**
 * Sets the identity of a user at a provider and replaces an existing one.
 * @param db handle of the transaction that writes the user
 * @throws ApiError 400 for an invalid or taken identity
 */
export async function setIdentity(deps: Deps, db: Db, userId: number, identity: Identity): Promise<void> {
  const errors = errorsOf(identity);
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  const { provider, extern_uid } = identity;
  const taken = await db
    .selectFrom('user_identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where((eb) => eb(eb.fn<string>('lower', ['extern_uid']), '=', asciiLower(extern_uid)))
    .where('user_id', '!=', userId)
    .executeTakeFirst();
  if (taken !== undefined) throw invalidModel({ extern_uid: ['has already been taken'] });
  const old = await db
    .selectFrom('user_identities')
    .select('extern_uid')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  const now = timestamp(deps.clock);
  await db
    .insertInto('user_identities')
    .values({ user_id: userId, provider, extern_uid, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid, updated_at: now }))
    .execute();
  if (old?.extern_uid === extern_uid) return;
  const change = { provider, from: old?.extern_uid ?? '', to: extern_uid };
  const entry =
    old === undefined
      ? ({
          name: 'identity_created',
          message: `Added the identity at ${provider}`,
          more: { add: 'identity', ...change },
        } as const)
      : ({
          name: 'identity_updated',
          message: `Changed the identity at ${provider}`,
          more: { change: 'identity', ...change },
        } as const);
  await recordAudit(deps, db, { ...entry, entity: onUser(userId) });
}

const identitiesOfUsers = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('user_identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', ids)
    .orderBy('id'),
);

/** Identities by user id, with an entry for each given user. */
export async function identitiesOf(db: Db, userIds: readonly number[]): Promise<Map<number, Identity[]>> {
  const byUser = new Map<number, Identity[]>(userIds.map((id) => [id, []]));
  if (userIds.length === 0) return byUser;
  const rows = await identitiesOfUsers(db, { ids: [...byUser.keys()] });
  for (const { user_id, ...identity } of rows) byUser.get(user_id)!.push(identity);
  return byUser;
}

/** Removes the identity of a user at a provider. @throws ApiError 404 if there is none */
export async function removeIdentity(deps: Deps, userId: number, provider: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const gone = await db
      .deleteFrom('user_identities')
      .where('user_id', '=', userId)
      .where('provider', '=', provider)
      .returning('extern_uid')
      .executeTakeFirstOrThrow(() => notFound('Identity'));
    await recordAudit(deps, db, {
      name: 'identity_deleted',
      entity: onUser(userId),
      message: `Removed the identity at ${provider}`,
      more: { remove: 'identity', provider, from: gone.extern_uid },
    });
  });
}
