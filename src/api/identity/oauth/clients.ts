import { timingSafeEqual } from 'node:crypto';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { OauthApplication } from '../../../db/tables/oauth-applications.table.ts';
import type { Deps } from '../../../deps.ts';
import { oauthError } from './oauth.errors.ts';

/** Credentials of a client, from parameters or the Basic header (RFC 6749, section 2.3.1). */
export interface ClientCredentials {
  id: string;
  secret: string | null;
}

/** Reads the credentials of a client; undefined if there are none. The header takes precedence over the parameters. */
export function readClient(
  header: string | undefined,
  input: { client_id?: string; client_secret?: string },
): ClientCredentials | undefined {
  const basic = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '');
  if (basic !== null) {
    const text = Buffer.from(basic[1]!, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon !== -1) return { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  }
  const { client_id: id, client_secret: secret } = input;
  return id === undefined || id === '' ? undefined : { id, secret: secret ?? null };
}

/**
 * Authenticates an application. Confidential applications must give their secret.
 * @throws ApiError 401
 */
export async function provenClient({ db }: Deps, credentials: ClientCredentials): Promise<OauthApplication> {
  const application = credentials.id.includes('\0')
    ? undefined
    : await db.selectFrom('oauth_applications').selectAll().where('uid', '=', credentials.id).executeTakeFirst();
  if (application === undefined) throw oauthError('invalid_client');
  const { secret } = credentials;
  if (secret === null || secret === '') {
    if (application.confidential === 1) throw oauthError('invalid_client');
    return application;
  }
  const [input, stored] = [Buffer.from(tokenDigest(secret)), Buffer.from(application.secret_digest)];
  if (input.length !== stored.length || !timingSafeEqual(input, stored)) throw oauthError('invalid_client');
  return application;
}
