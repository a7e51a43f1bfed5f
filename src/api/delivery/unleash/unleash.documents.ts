import { hash } from 'node:crypto';
import type { FlagsClient } from '../../../access/caller.ts';
import { BoundedCache, EntryCache } from '../../../core/cache/index.ts';
import { encodeUtf8 } from '../../../core/detached-copy.ts';
import { onForget } from '../../../core/forgetting.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { jsonHeaders, Serialized } from '../../../http/http.send.ts';
import type { CachedResponse } from '../../../http/immutable-responses.ts';
import { documentOf, type ProjectRules, readRules, scopesOf } from './unleash.rules.ts';

/** Longer names are not cached. */
const MAX_NAME = 255;

/** Flags of projects cached in this process, with their version. */
interface Memory {
  /** Cache keys of responses, by project and environment. */
  keys: EntryCache<string, { version: number; key: string }>;
  rules: BoundedCache<number, ProjectRules>;
  /** Rules that are being read. */
  reading: Map<string, Promise<ProjectRules>>;
}

const memories = new WeakMap<Db, Memory>();

function memoryOf({ db }: Deps): Memory {
  const known = memories.get(db);
  if (known !== undefined) return known;
  const fresh: Memory = {
    keys: new EntryCache('unleash_keys'),
    rules: new BoundedCache('unleash_rules', ({ size }) => size),
    reading: new Map(),
  };
  memories.set(db, fresh);
  onForget(db, () => fresh.keys.clear());
  return fresh;
}

/** Response for clients without an environment. */
const NOTHING = prepare(Buffer.from('{"version":1,"features":[]}'));

function prepare(body: Buffer): CachedResponse {
  const json = new Serialized(body);
  const headers = jsonHeaders(json);
  return { json, headers, flat: Object.entries(headers).flat() };
}

/** Returns the current flags of a project; concurrent requests share one read. */
async function rulesOf(deps: Deps, { rules, reading }: Memory, { projectId, version }: FlagsClient) {
  const known = rules.get(projectId);
  if (known?.version === version) return known;
  const key = `${projectId} ${version}`;
  const waiting = reading.get(key);
  if (waiting !== undefined) return waiting;
  const read = readRules(deps.db, projectId).finally(() => reading.delete(key));
  reading.set(key, read);
  const latest = await read;
  rules.set(projectId, latest);
  return latest;
}

/**
 * Returns the document of the flags for an environment, cached by the version of the flags. Environments that match the
 * same scopes share it.
 * @param environment empty for none
 */
export async function flagsDocument(deps: Deps, client: FlagsClient, environment: string): Promise<CachedResponse> {
  if (environment === '') return NOTHING;
  const memory = memoryOf(deps);
  const name = `${client.projectId} ${environment}`;
  const known = memory.keys.get(name);
  const cached = known?.version === client.version ? deps.immutableResponses.peek(known.key) : undefined;
  if (cached !== undefined) return cached;
  const rules = await rulesOf(deps, memory, client);
  const scopes = await scopesOf(rules, environment);
  const key = `flags:${client.projectId}:${rules.version}:${hash('sha256', scopes.join(), 'base64url')}`;
  if (environment.length <= MAX_NAME) memory.keys.set(name, { version: rules.version, key });
  const made = deps.immutableResponses.peek(key);
  if (made !== undefined) return made;
  const { json, headers } = prepare(encodeUtf8(documentOf(rules, scopes)));
  return deps.immutableResponses.setBody(key, json, headers);
}
