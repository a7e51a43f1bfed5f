import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';

/** Options of commands that work on a server that runs. */
export const REMOTE_OPTIONS = { url: { type: 'string' }, token: { type: 'string' } } as const;

/** A server that runs, and the administrator's token. */
export interface RemoteServer {
  url: string;
  token: string;
}

/**
 * Reads `--url` and `--token`; the token may also be in STITHY_ROOT_TOKEN.
 * @param local whether a server of this machine is meant without `--url`: the one at STITHY_PORT
 * @throws Error for an address that is none, or without a token
 */
export function remoteServer(
  values: { url?: string; token?: string },
  env: Environment,
  { local = false }: { local?: boolean } = {},
): RemoteServer {
  const here = local ? `http://127.0.0.1:${env.STITHY_PORT ?? 8080}` : '';
  const { url = here, token = env.STITHY_ROOT_TOKEN ?? '' } = values;
  if (!/^https?:\/\/[^/]/.test(url))
    throw new Error('--url must be the address of a server, such as http://127.0.0.1:8080.');
  if (token === '') throw new Error("--token must be the administrator's token.");
  return { url: url.replace(/\/+$/, ''), token };
}

/** An answer of a server. */
export interface RemoteAnswer {
  status: number;
  body: string;
  bytes: Buffer;
}

/** Sends a request with the token. @param path with the slash at its beginning @throws StartupError if no server answers */
export async function askServer(
  { url, token }: RemoteServer,
  path: string,
  options: { method?: string; body?: string; type?: string } = {},
): Promise<RemoteAnswer> {
  const { method = 'GET', body, type } = options;
  const headers = { 'private-token': token, ...(type === undefined ? {} : { 'content-type': type }) };
  try {
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, body: bytes.toString('utf8'), bytes };
  } catch (error) {
    const { cause } = error as Error & { cause?: Error };
    throw new StartupError(`no server answers at ${url}: ${cause?.message ?? (error as Error).message}.`);
  }
}

/** The message of a refusal; undefined for an answer that has none. */
export function messageIn(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return message === undefined || typeof message === 'string' ? message : JSON.stringify(message);
  } catch {
    return undefined;
  }
}
