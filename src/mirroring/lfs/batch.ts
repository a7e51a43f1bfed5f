import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';

/** A request to transfer an object, as described by another server. */
export interface LfsAction {
  href: string;
  header: Readonly<Record<string, string>>;
}

/** Another server's description of an object. */
export interface LfsTransfer extends LfsObject {
  /** Actions by name: `upload`, `download` and `verify`; empty if there is nothing to do. */
  actions: ReadonlyMap<string, LfsAction>;
  /** HTTP status of an error, or null. */
  error: number | null;
}

/** Connection headers, which no server may set. */
const OWN = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;
const MAX_HEADERS = 50;
const MAX_HREF = 16 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Parses a response of the batch API (git-lfs, docs/api/batch.md). Ignores malformed entries.
 * @returns transfers by object id; null for an invalid response
 */
export function readBatch(text: string): Map<string, LfsTransfer> | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(body) || !Array.isArray(body.objects)) return null;
  if (body.transfer !== undefined && body.transfer !== 'basic') return null;
  const transfers = new Map<string, LfsTransfer>();
  for (const entry of body.objects as unknown[]) {
    if (!isObject(entry) || typeof entry.oid !== 'string') continue;
    const size = typeof entry.size === 'number' ? entry.size : 0;
    transfers.set(entry.oid, { oid: entry.oid, size, actions: actionsOf(entry.actions), error: errorOf(entry.error) });
  }
  return transfers;
}

function errorOf(error: unknown): number | null {
  if (!isObject(error)) return null;
  return typeof error.code === 'number' ? error.code : 500;
}

function actionsOf(actions: unknown): Map<string, LfsAction> {
  const actionsByName = new Map<string, LfsAction>();
  if (!isObject(actions)) return actionsByName;
  for (const name of ['upload', 'download', 'verify']) {
    const action = actions[name];
    if (!isObject(action) || typeof action.href !== 'string' || action.href.length > MAX_HREF) continue;
    const headers = isObject(action.header) ? Object.entries(action.header).slice(0, MAX_HEADERS) : [];
    const header = headers.filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && !OWN.test(pair[0]),
    );
    actionsByName.set(name, { href: action.href, header: Object.fromEntries(header) });
  }
  return actionsByName;
}
