import {
  type Credentials,
  credentialsOf,
  isMasked,
  parseRemote,
  sameRepository,
  withCredentials,
  withoutCredentials,
} from './mirroring.address.ts';

/** Requested change of a stored address; absent properties stay unchanged. */
export interface AddressChange {
  /** Null or empty removes the address. */
  url?: string | null;
  user?: string;
  password?: string;
}

const NOBODY: Credentials = { user: '', password: '' };

/**
 * Returns the address to store, with credentials. Stored credentials are kept only for the same repository and
 * protocol; masked credentials from a response stand for them.
 * @returns null for no address
 * @throws BlockedAddress
 */
export function changedAddress(stored: string | null, { url, user, password }: AddressChange): string | null {
  if (url === null || url === '') return null;
  const address = url ?? stored;
  if (address === null) return null;
  if (url === undefined && user === undefined && password === undefined) return stored;
  const { href } = parseRemote(address);
  const storedCredentials = stored !== null && sameRepository(stored, href) ? credentialsOf(stored) : NOBODY;
  const own = isMasked(href) ? NOBODY : credentialsOf(href);
  const named = own.user !== '' || own.password !== '';
  const base = !named || (own.password === '' && own.user === storedCredentials.user) ? storedCredentials : own;
  const all = { user: user ?? base.user, password: password ?? base.password };
  return parseRemote(withCredentials(withoutCredentials(href), all)).href;
}
