import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FlagsClient } from '../../../access/caller.ts';
import { Kept } from '../../../core/kept.ts';
import { encoded } from '../../../core/own-memory.ts';
import type { Db } from '../../../db/schema.ts';
import type { Deps } from '../../../deps.ts';
import type { FixedAnswer } from '../../../http/answers.ts';
import { jsonHeaders, Serialized } from '../../../http/send.ts';
import { documentOf, type ProjectRules, readRules, scopesOf } from './rules.ts';

const MOST_NAMES = 10_000;
const MOST_RULES = 16 * 1024 * 1024;
/** Names that are longer are looked up each time. */
const MOST_NAME = 255;

/** What this process remembers of the flags of projects, each with the version that it is of. */
interface Memory {
  /** Under which the answer to an environment is kept, by project and environment. */
  keys: LRUCache<string, { version: number; key: string }>;
  rules: Kept<number, ProjectRules>;
  /** Rules that are being read. */
  reading: Map<string, Promise<ProjectRules>>;
}

const memories = new WeakMap<Db, Memory>();

function memoryOf({ db }: Deps): Memory {
  const known = memories.get(db);
  if (known !== undefined) return known;
  const fresh: Memory = {
    keys: new LRUCache({ max: MOST_NAMES }),
    rules: new Kept(MOST_RULES, ({ size }) => size),
    reading: new Map(),
  };
  memories.set(db, fresh);
  return fresh;
}

/** The answer to a program without a name, which is in no environment. */
const NOTHING = prepare(Buffer.from('{"version":1,"features":[]}'));

function prepare(body: Buffer): FixedAnswer {
  const json = new Serialized(body);
  const headers = jsonHeaders(json);
  return { json, headers, flat: Object.entries(headers).flat() };
}

/** The flags of a project as they are, or later; of those who ask at the same time one reads them. */
async function rulesOf(deps: Deps, { rules, reading }: Memory, { projectId, version }: FlagsClient) {
  const known = rules.get(projectId);
  if (known?.version === version) return known;
  const key = `${projectId} ${version}`;
  const waiting = reading.get(key);
  if (waiting !== undefined) return waiting;
  const read = readRules(deps.db, projectId).finally(() => reading.delete(key));
  reading.set(key, read);
  const found = await read;
  rules.set(projectId, found);
  return found;
}

/**
 * What the flags of a project are to the programs of one environment, kept ready by the version of the flags: names of
 * environments that fit the same scopes share it.
 * @param environment empty for none
 */
export async function flagsDocument(deps: Deps, client: FlagsClient, environment: string): Promise<FixedAnswer> {
  if (environment === '') return NOTHING;
  const memory = memoryOf(deps);
  const name = `${client.projectId} ${environment}`;
  const known = memory.keys.get(name);
  const kept = known?.version === client.version ? deps.answers.peek(known.key) : undefined;
  if (kept !== undefined) return kept;
  const rules = await rulesOf(deps, memory, client);
  const scopes = await scopesOf(rules, environment);
  const key = `flags:${client.projectId}:${rules.version}:${hash('sha256', scopes.join(), 'base64url')}`;
  if (environment.length <= MOST_NAME) memory.keys.set(name, { version: rules.version, key });
  const made = deps.answers.peek(key);
  if (made !== undefined) return made;
  const { json, headers } = prepare(encoded(documentOf(rules, scopes)));
  return deps.answers.keepBody(key, json, headers);
}
