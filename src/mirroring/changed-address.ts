import {
  type Credentials,
  credentialsOf,
  isMasked,
  parseRemote,
  sameRepository,
  withCredentials,
  withoutCredentials,
} from './mirroring.address.ts';

/** What is asked for of a stored address; what is left out stays as it is. */
export interface AddressChange {
  /** Null or empty takes the address away. */
  url?: string | null;
  user?: string;
  password?: string;
}

const NOBODY: Credentials = { user: '', password: '' };

/**
 * The address to store, with its credentials. Those that are stored stay only with the repository and the protocol that
 * they were stored for; the stars that answers show stand for them.
 * @returns null where there is none
 * @throws BlockedAddress
 */
export function changedAddress(stored: string | null, { url, user, password }: AddressChange): string | null {
  if (url === null || url === '') return null;
  const address = url ?? stored;
  if (address === null) return null;
  if (url === undefined && user === undefined && password === undefined) return stored;
  const { href } = parseRemote(address);
  const kept = stored !== null && sameRepository(stored, href) ? credentialsOf(stored) : NOBODY;
  const own = isMasked(href) ? NOBODY : credentialsOf(href);
  const named = own.user !== '' || own.password !== '';
  const base = !named || (own.password === '' && own.user === kept.user) ? kept : own;
  const all = { user: user ?? base.user, password: password ?? base.password };
  return parseRemote(withCredentials(withoutCredentials(href), all)).href;
}
