import { timingSafeEqual } from 'node:crypto';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import type { Caller, Credential } from './caller.ts';
import { revalidateCaller } from './revalidate.ts';
import { signer } from './signer.ts';

const MAX_LENGTH = 1_000;

/** Use of a token. */
export interface DownloadTokenUse {
  /** Purpose: the token is invalid for any other. */
  purpose: string;
  /** Id of the object. */
  object: number;
}

interface Claims extends DownloadTokenUse {
  kind: Credential['kind'];
  id: number;
  /** Expiry in milliseconds. */
  end: number;
  /** Further facts of an SSH certificate: user, group and expiry. */
  more?: { userId: number; groupId: number; validBefore: number };
}

/**
 * Signs a token that stands for the caller for one object and a limited time, for clients that cannot send credentials.
 * It becomes invalid together with the caller's credential.
 * @param seconds lifetime
 * @returns null for callers without a lasting credential: anonymous ones, and those with a password or through sudo
 */
export async function signDownloadToken(
  deps: Deps,
  caller: Caller,
  use: DownloadTokenUse,
  seconds: number,
): Promise<string | null> {
  const id = caller.sudoBy === null ? credentialId(caller.credential) : null;
  if (id === null) return null;
  const { purpose, object } = use;
  const more = moreOf(caller);
  const end = Math.min(deps.clock.now().getTime() + seconds * 1_000, more?.validBefore ?? Number.POSITIVE_INFINITY);
  const claims: Claims = { purpose, object, kind: caller.credential.kind, id, end, ...(more && { more }) };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${(await signer(deps))(text).toString('base64url')}`;
}

/**
 * The caller of a token.
 * @returns undefined if the token is invalid for the purpose or has expired
 * @throws ApiError 401, 403 if the credential behind it is no longer valid
 */
export async function callerOfDownloadToken(deps: Deps, token: string, purpose: string): Promise<Caller | undefined> {
  const claims = await readDownloadToken(deps, token, purpose);
  const caller = claims && (await callerOf(deps.db, claims));
  return caller && revalidateCaller(deps, caller);
}

/** The object of a token. @returns undefined if the token is invalid for the purpose or has expired */
export async function objectOfDownloadToken(deps: Deps, token: string, purpose: string): Promise<number | undefined> {
  return (await readDownloadToken(deps, token, purpose))?.object;
}

async function readDownloadToken(deps: Deps, token: string, purpose: string): Promise<Claims | undefined> {
  const [, text, sent] = (token.length <= MAX_LENGTH && /^([\w-]+)\.([\w-]{43})$/.exec(token)) || [];
  if (text === undefined || sent === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(sent, 'base64url'), (await signer(deps))(text))) return undefined;
  const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims;
  return claims.purpose === purpose && claims.end > deps.clock.now().getTime() ? claims : undefined;
}

function credentialId(credential: Credential): number | null {
  switch (credential.kind) {
    case 'access_token':
    case 'deploy_token':
      return credential.token.id;
    case 'oauth':
      return credential.tokenId;
    case 'job_token':
      return credential.jobId;
    case 'ssh_key':
      return credential.keyId;
    case 'deploy_key':
      return credential.key.id;
    case 'ssh_certificate':
      return credential.authorityId;
    default:
      return null;
  }
}

function moreOf({ credential, user }: Caller): Claims['more'] {
  if (credential.kind !== 'ssh_certificate' || user === null) return undefined;
  const { groupId, validBefore } = credential;
  return { userId: user.id, groupId, validBefore };
}

/** Rebuilds the caller from the credential; whether that is still valid is checked afterwards. */
async function callerOf(db: Db, { kind, id, more }: Claims): Promise<Caller | undefined> {
  switch (kind) {
    case 'access_token': {
      const token = await db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return token && ofUser(db, token.user_id, parseJson<string[]>(token.scopes), { kind, token });
    }
    case 'oauth': {
      const token = await db.selectFrom('oauth_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      const credential = token && { kind, tokenId: id, applicationId: token.application_id };
      return credential && ofUser(db, token.user_id, parseJson<string[]>(token.scopes), credential);
    }
    case 'deploy_token': {
      const token = await db.selectFrom('deploy_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      const scopes = token && parseJson<string[]>(token.scopes);
      return scopes && { user: null, admin: false, scopes, credential: { kind, token }, sudoBy: null };
    }
    case 'job_token': {
      const job = await db
        .selectFrom('ci_jobs')
        .select(['user_id', 'project_id'])
        .where('id', '=', id)
        .executeTakeFirst();
      return job && ofUser(db, job.user_id, null, { kind, jobId: id, projectId: job.project_id });
    }
    case 'ssh_key': {
      const key = await db.selectFrom('ssh_keys').select('user_id').where('id', '=', id).executeTakeFirst();
      return key && ofUser(db, key.user_id, null, { kind, keyId: id });
    }
    case 'deploy_key': {
      const key = await db.selectFrom('deploy_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return key && { user: null, admin: false, scopes: null, credential: { kind, key }, sudoBy: null };
    }
    case 'ssh_certificate': {
      if (more === undefined) return undefined;
      const { userId, groupId, validBefore } = more;
      const caller = await ofUser(db, userId, null, { kind, authorityId: id, groupId, validBefore });
      return caller && { ...caller, admin: false };
    }
    default:
      return undefined;
  }
}

async function ofUser(
  db: Db,
  userId: number,
  scopes: readonly string[] | null,
  credential: Credential,
): Promise<Caller | undefined> {
  const user: User | undefined = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  return user && { user, admin: user.admin === 1, scopes, credential, sudoBy: null };
}
