import type { Deps } from '../deps.ts';
import type { RemoteSource } from '../git/remote-source.ts';
import { type AddressRules, BlockedAddress, parseAddress, resolveExternal } from '../outbound/outbound.resolve.ts';
import { outboundRules } from '../settings/outbound-rules.ts';

/** Where repositories are fetched from and pushed to. */
const REMOTES: AddressRules = { schemes: ['http', 'https', 'ssh', 'git'], ports: [22, 80, 443] };
const MASK = '*****';

/** Who signs in at a remote. */
export interface Credentials {
  user: string;
  password: string;
}

/** The address with what may be secret in it replaced by stars, as answers show it. */
export function maskCredentials(address: string): string {
  return changed(address, MASK);
}

/** The address without user and password. */
export function withoutCredentials(address: string): string {
  return changed(address, '');
}

function changed(address: string, secret: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return secret;
  }
  if (url.username !== '') url.username = secret;
  if (url.password !== '') url.password = secret;
  // Stored by an earlier version: `?private_token=...` says as much as a password.
  if (url.search !== '') url.search = secret;
  url.hash = '';
  return url.href;
}

/** User and password in an address; empty where it has none. @throws BlockedAddress for those that cannot be decoded */
export function credentialsOf(address: string): Credentials {
  const { username, password } = new URL(address);
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new BlockedAddress('is blocked: URI is invalid');
  }
}

/** The address with this user and password in the place of those that it has. */
export function withCredentials(address: string, { user, password }: Credentials): string {
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
}

/**
 * Whether two addresses lead to one repository by one protocol, so that what is a secret of one is a secret of the other.
 * Another repository of the same server may belong to somebody else, who would be given it.
 */
export function sameRepository(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  const path = ({ pathname }: URL) => pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  return a.protocol === b.protocol && a.host.toLowerCase() === b.host.toLowerCase() && path(a) === path(b);
}

/** Whether an address carries the stars that answers show, sent back as they stood. */
export function isMasked(address: string): boolean {
  const { username, password } = new URL(address);
  return [username, password].some((part) => part !== '') && [username, password].every(isStars);
}

const isStars = (part: string): boolean => part === '' || part === MASK || decodeURIComponent(part) === MASK;

/**
 * Reads the address of a repository elsewhere; what comes out means the same to git and to SSH.
 * @throws BlockedAddress
 */
export function parseRemote(address: string): URL {
  const url = parseAddress(address.trim(), REMOTES);
  const { user, password } = credentialsOf(url.href);
  const invalid = new BlockedAddress('is blocked: URI is invalid');
  // Each stands on a line of its own where git reads it.
  if (/[\r\n\0]/.test(user + password)) throw invalid;
  // Git puts the rest of its own addresses behind it, and shows all of it to whoever lists processes.
  if (url.search !== '' || url.hash !== '') {
    throw new BlockedAddress('is blocked: Query and fragment are not allowed, use user and password for a token');
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  // These are decoded by git, and become words of a command or lines of a protocol.
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    throw invalid;
  }
  if (/[\0-\x1f\x7f]/.test(path) || path.length < 2 || path.startsWith('/-')) {
    throw invalid;
  }
  if (url.protocol === 'ssh:' && user !== '' && !/^[\w.@+][\w.@+-]*$/.test(user)) throw invalid;
  if (url.protocol === 'git:' && user + password !== '') throw invalid;
  return url;
}

/**
 * Where to fetch from or push to, with addresses that may be connected to now.
 * @throws BlockedAddress
 */
export async function remoteSource(deps: Deps, address: string): Promise<RemoteSource> {
  const url = parseRemote(address);
  const { user: name, password } = credentialsOf(url.href);
  const addresses = await resolveExternal(url, await outboundRules(deps));
  return {
    url: withoutCredentials(url.href),
    addresses,
    ...(name === '' && password === '' ? {} : { user: { name, password } }),
  };
}

/**
 * Looks whether the server would connect to an address.
 * @returns the address as it is stored
 * @throws BlockedAddress
 */
export async function checkRemote(deps: Deps, address: string): Promise<string> {
  const { href } = parseRemote(address);
  await remoteSource(deps, href);
  return href;
}
