import { recordAudit } from '../../../audit/record.audit.ts';
import { tokenEntry } from '../../../audit/tokens.audit.ts';
import { type Clock, dayIn, timestamp, today } from '../../../core/clock.ts';
import { badRequest, invalidModel } from '../../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

/** Maximum lifetime of a token, and default lifetime of a rotated one, in days. */
const MAX_LIFETIME_DAYS = 365;
const ROTATED_LIFETIME_DAYS = 7;

/** A stored token, with its plain text, which is known only at creation. */
export interface IssuedToken {
  row: AccessToken;
  token: string;
}

export interface NewToken {
  userId: number;
  name: string;
  description?: string | null;
  scopes: readonly string[];
  /** From `expiryOf`. */
  expiresAt: string | null;
  impersonation?: boolean;
  /** The project or group of a resource token. */
  resource?: { type: 'project' | 'group'; id: number };
  /** The first token of the chain of rotations that this one continues. */
  familyId?: number;
  /** The plain text, if it is known beforehand; a random one by default. */
  token?: string;
}

/**
 * Computes the expiry date of a token.
 * @param expiresAt `YYYY-MM-DD`; defaults to `fallbackDays` from now, or to the maximum lifetime
 * @returns null if the token never expires, which administrators may allow
 * @throws ApiError 400 if the lifetime exceeds the maximum
 */
export async function expiryOf(
  deps: Deps,
  expiresAt: string | null | undefined,
  fallbackDays = MAX_LIFETIME_DAYS,
): Promise<string | null> {
  const { clock } = deps;
  const { require_personal_access_token_expiry: required, max_personal_access_token_lifetime: maxLifetime } =
    await applicationSettings(deps);
  const days = maxLifetime ?? (required ? MAX_LIFETIME_DAYS : null);
  if (expiresAt === undefined || expiresAt === null) {
    return days === null ? null : dayIn(clock, Math.min(fallbackDays, days));
  }
  if (days !== null && expiresAt > dayIn(clock, days)) {
    throw invalidModel({ expires_at: [`must be before ${dayIn(clock, days + 1)}`] });
  }
  return expiresAt;
}

/** Creates a token (part 1, section 5.8) and stores its digest. @param db handle of a transaction */
export async function issueToken(deps: Deps, db: Db, input: NewToken): Promise<IssuedToken> {
  const { personal_access_token_prefix: prefix } = await applicationSettings(deps, db);
  const token = input.token ?? `${prefix ?? ''}${randomText(26)}`;
  const row = await db
    .insertInto('access_tokens')
    .values({
      user_id: input.userId,
      name: input.name,
      description: input.description ?? null,
      digest: tokenDigest(token),
      scopes: JSON.stringify([...new Set(input.scopes)]),
      impersonation: bit(input.impersonation ?? false),
      expires_at: input.expiresAt,
      created_at: timestamp(deps.clock),
      resource_type: input.resource?.type ?? null,
      resource_id: input.resource?.id ?? null,
      family_id: input.familyId ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit({ clock: deps.clock }, db, tokenEntry(row, 'created'));
  return { row, token };
}

/** Revokes a token; idempotent. @param db handle of a transaction */
export async function revokeToken(deps: Pick<Deps, 'clock'>, db: Db, id: number): Promise<void> {
  const revoked = await db
    .updateTable('access_tokens')
    .set({ revoked: 1 })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .returningAll()
    .execute();
  await recordRevoked(deps, db, revoked);
}

const recordRevoked = (deps: Pick<Deps, 'clock'>, db: Db, tokens: readonly AccessToken[]): Promise<void> =>
  recordAudit(
    deps,
    db,
    tokens.map((token) => tokenEntry(token, 'revoked')),
  );

/**
 * Revokes all tokens of the rotation chain of a token, after the use of a replaced one.
 * @param db handle of a transaction
 */
export async function revokeFamily(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  token: Pick<AccessToken, 'id' | 'family_id'>,
): Promise<void> {
  const root = token.family_id ?? token.id;
  const revoked = await db
    .updateTable('access_tokens')
    .set({ revoked: 1 })
    .where((eb) => eb.or([eb('id', '=', root), eb('family_id', '=', root)]))
    .where('revoked', '=', 0)
    .returningAll()
    .execute();
  await recordRevoked(deps, db, revoked);
}

/**
 * Replaces a token by a new one with the same name and scopes, and revokes the old one. Of two concurrent rotations,
 * one fails.
 * @param revalidate checks the rights again in the transaction, before anything is revoked
 * @throws ApiError 400 if the token is already revoked (this revokes its whole family), or if the new one expires too
 *   late
 */
export async function rotateToken(
  deps: Deps,
  old: AccessToken,
  expiresAt: string | null | undefined,
  revalidate: (db: Db) => Promise<void> = async () => {},
): Promise<IssuedToken> {
  const expiry = await expiryOf(deps, expiresAt, ROTATED_LIFETIME_DAYS);
  const issued = await deps.db.transaction().execute(async (db) => {
    await revalidate(db);
    const replaced = await db
      .updateTable('access_tokens')
      .set({ revoked: 1 })
      .where('id', '=', old.id)
      .where('revoked', '=', 0)
      .returningAll()
      .executeTakeFirst();
    if (replaced === undefined) return undefined;
    await recordRevoked(deps, db, [replaced]);
    return issueToken(deps, db, {
      userId: replaced.user_id,
      name: replaced.name,
      description: replaced.description,
      scopes: JSON.parse(replaced.scopes) as string[],
      expiresAt: expiry,
      impersonation: replaced.impersonation === 1,
      ...(replaced.resource_type === null
        ? {}
        : { resource: { type: replaced.resource_type, id: replaced.resource_id! } }),
      familyId: replaced.family_id ?? replaced.id,
    });
  });
  if (issued !== undefined) return issued;
  await deps.db.transaction().execute((db) => revokeFamily(deps, db, old));
  throw badRequest('token already revoked');
}

/** Whether the token is neither revoked nor expired. */
export const isTokenActive = (clock: Clock, token: AccessToken): boolean =>
  token.revoked === 0 && (token.expires_at === null || token.expires_at > today(clock));
