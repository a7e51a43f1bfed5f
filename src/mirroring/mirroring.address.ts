import type { Deps } from '../deps.ts';
import type { RemoteSource } from '../git/remote/index.ts';
import {
  type AddressRules,
  BlockedAddress,
  parseAddress,
  refuseCaptured,
  resolveExternal,
} from '../outbound/outbound.resolve.ts';
import { outboundRules } from '../settings/outbound-rules.ts';

/** Allowed schemes and ports of remote repositories. */
const REMOTES: AddressRules = { schemes: ['http', 'https', 'ssh', 'git'], ports: [22, 80, 443] };
const MASK = '*****';

/** Credentials for a remote. */
export interface Credentials {
  user: string;
  password: string;
}

/** Masks the credentials in an address for responses. */
export function maskCredentials(address: string): string {
  return changed(address, MASK);
}

/** Removes the credentials from an address. */
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
  // Stored by an earlier version: `?private_token=...` is as secret as a password.
  if (url.search !== '') url.search = secret;
  url.hash = '';
  return url.href;
}

/** Credentials in an address; empty without any. @throws BlockedAddress if they cannot be decoded */
export function credentialsOf(address: string): Credentials {
  const { username, password } = new URL(address);
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new BlockedAddress('is blocked: URI is invalid');
  }
}

/** Replaces the credentials in an address. */
export function withCredentials(address: string, { user, password }: Credentials): string {
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
}

/**
 * Whether two addresses denote the same repository and protocol, so that they may share credentials. Another repository
 * on the same server may belong to someone else, who must not receive them.
 */
export function sameRepository(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  const path = ({ pathname }: URL) => pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  return a.protocol === b.protocol && a.host.toLowerCase() === b.host.toLowerCase() && path(a) === path(b);
}

/** Whether an address contains the mask of a response, sent back unchanged. */
export function isMasked(address: string): boolean {
  const { username, password } = new URL(address);
  return [username, password].some((part) => part !== '') && [username, password].every(isStars);
}

const isStars = (part: string): boolean => part === '' || part === MASK || decodeURIComponent(part) === MASK;

/**
 * Parses the address of a remote repository so that git and SSH interpret it in the same way.
 * @throws BlockedAddress
 */
export function parseRemote(address: string): URL {
  const url = parseAddress(address.trim(), REMOTES);
  const { user, password } = credentialsOf(url.href);
  const invalid = new BlockedAddress('is blocked: URI is invalid');
  // Git reads them line by line.
  if (/[\r\n\0]/.test(user + password)) throw invalid;
  // Git appends further path segments to it, and exposes all of it in process lists.
  if (url.search !== '' || url.hash !== '') {
    throw new BlockedAddress('is blocked: Query and fragment are not allowed, use user and password for a token');
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  // Git decodes these, and they become words of a command or lines of a protocol.
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
 * Source for a fetch or push, with the addresses that are allowed now.
 * @throws BlockedAddress
 */
export async function remoteSource(deps: Deps, address: string): Promise<RemoteSource> {
  const url = parseRemote(address);
  const { user: name, password } = credentialsOf(url.href);
  const rules = await outboundRules(deps);
  const addresses = await resolveExternal(url, rules);
  refuseCaptured(addresses, rules);
  return {
    url: withoutCredentials(url.href),
    addresses,
    ...(name === '' && password === '' ? {} : { user: { name, password } }),
  };
}

/**
 * Checks that the server may connect to an address.
 * @returns the address to store
 * @throws BlockedAddress
 */
export async function checkRemote(deps: Deps, address: string): Promise<string> {
  const { href } = parseRemote(address);
  // Where nothing leaves the machine, only updates fail.
  if ((await outboundRules(deps)).captured !== true) await remoteSource(deps, href);
  return href;
}
