import { invalidModel } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import type { RemoteSource } from '../../../git/import.ts';
import { BlockedAddress, parseHttpUrl, resolveOutside } from '../../../outbound/resolve.ts';

/** The address with what may be secret in it replaced by stars, as answers show it. */
export function maskCredentials(address: string): string {
  return changed(address, '*****');
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
  return url.href;
}

/**
 * Where to import from, with addresses that may be connected to now.
 * @throws BlockedAddress
 */
export async function remoteSource(deps: Deps, address: string): Promise<RemoteSource> {
  const url = parseHttpUrl(address);
  const user = { name: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  // Each stands on a line of its own where git reads it.
  if (/[\r\n\0]/.test(user.name + user.password)) throw new BlockedAddress('is blocked: URI is invalid');
  const addresses = await resolveOutside(url, { allowLocalNetwork: deps.config.allowLocalNetwork });
  const plain = withoutCredentials(url.href);
  return { url: plain, addresses, ...(user.name === '' && user.password === '' ? {} : { user }) };
}

/**
 * Refuses an address that the server would not import from.
 * @returns the address as it is stored
 * @throws ApiError 422
 */
export async function checkImportUrl(deps: Deps, address: string): Promise<string> {
  try {
    await remoteSource(deps, address);
    return new URL(address).href;
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ import_url: [error.message] }, 422);
    if (error instanceof URIError) throw invalidModel({ import_url: ['is blocked: URI is invalid'] }, 422);
    throw error;
  }
}
