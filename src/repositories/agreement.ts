import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/schema.ts';
import type { RefChange } from '../db/tables/repositories.ts';
import { isMissing } from '../git/durable.ts';
import { GitError } from '../git/errors.ts';
import type { Storages } from '../git/storages.ts';
import { holderOf } from './holder.ts';

const BATCH = 1_000;
/** Where a server works meanwhile, what differs is looked at again: row and ref cannot be read at one instant. */
const LOOKS = 5;
const PAUSE_MS = 500;

interface Finding {
  text: string;
  /** Looks again. @returns whether it is still so */
  holds(): Promise<boolean>;
}

/**
 * Compares what the database says of refs with the refs on disk: the last recorded change of every branch and tag, and
 * the heads of open merge requests.
 * @returns what does not agree, in words for an operator; empty when all does
 */
export async function refDisagreements(db: Db, storages: Storages): Promise<string[]> {
  const pushes = new RecordedRefs(db);
  let findings: Finding[] = [];
  await pushes.read();
  for (const [holder, refs] of pushes.holders) {
    for (const ref of refs.keys()) {
      const finding = {
        text: `${holder}: ${ref} is not where the last recorded change left it`,
        holds: async () => {
          const now = await resolve(db, storages, holder, ref);
          const last = pushes.holders.get(holder)?.get(ref) ?? [];
          return now !== undefined && !last.includes(now);
        },
      };
      if (await finding.holds()) findings.push(finding);
    }
  }
  findings.push(...(await mergeRequestFindings(db, storages)));
  for (let look = 1; look < LOOKS && findings.length > 0; look += 1) {
    await sleep(PAUSE_MS);
    await pushes.read();
    const held: Finding[] = [];
    for (const finding of findings) if (await finding.holds()) held.push(finding);
    findings = held;
  }
  return findings.map(({ text }) => text);
}

/** Whose refs, as `project 1` or `snippet 1`. */
type Holder = string;

/** Where recorded changes left the refs of every repository; it reads on from where it was. */
class RecordedRefs {
  /** The last two places of each ref: of two processes the one that moved a ref last may have recorded it first. */
  readonly holders = new Map<Holder, Map<string, (string | null)[]>>();
  readonly #db: Db;
  #after = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  async read(): Promise<void> {
    for (;;) {
      const events = await this.#db
        .selectFrom('domain_events')
        .select(['id', 'project_id', 'payload'])
        .where('type', 'in', ['push', 'snippet.pushed'])
        .where('id', '>', this.#after)
        .orderBy('id')
        .limit(BATCH)
        .execute();
      for (const { project_id, payload } of events) {
        const { snippet_id, updates } = parseJson<{ snippet_id?: number; updates: RefChange[] }>(payload);
        this.#note(snippet_id === undefined ? `project ${project_id}` : `snippet ${snippet_id}`, updates);
      }
      if (events.length > 0) this.#after = events.at(-1)!.id;
      if (events.length < BATCH) return;
    }
  }

  #note(holder: Holder, updates: readonly RefChange[]): void {
    const refs = this.holders.get(holder) ?? new Map<string, (string | null)[]>();
    this.holders.set(holder, refs);
    for (const update of updates) refs.set(update.ref, [...(refs.get(update.ref) ?? []), update.new].slice(-2));
  }
}

/** Where a ref is; undefined where its repository has gone, or another change of it is under way. */
async function resolve(db: Db, storages: Storages, holder: Holder, ref: string): Promise<string | null | undefined> {
  const [type, id] = holder.split(' ');
  const ids = {
    project_id: type === 'project' ? Number(id) : null,
    snippet_id: type === 'snippet' ? Number(id) : null,
  };
  const found = await holderOf(db, ids);
  if (found === undefined) return undefined;
  const intent = await db
    .selectFrom('ref_intents')
    .select('id')
    .where(type === 'project' ? 'project_id' : 'snippet_id', '=', Number(id))
    .limit(1)
    .executeTakeFirst();
  if (intent !== undefined) return undefined;
  return tipOf(storages, { storage: found.repository_storage, diskPath: found.disk_path }, ref);
}

/** @returns undefined where the repository cannot be read, which another check tells */
async function tipOf(
  storages: Storages,
  location: { storage: string; diskPath: string },
  ref: string,
): Promise<string | null | undefined> {
  try {
    return await storages.open(location).refs.resolve(ref);
  } catch (error) {
    if (error instanceof GitError || isMissing(error)) return undefined;
    throw error;
  }
}

async function mergeRequestFindings(db: Db, storages: Storages): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let after = 0; ; ) {
    const rows = await openMergeRequests(db).where('merge_requests.id', '>', after).limit(BATCH).execute();
    for (const { id, iid, full_path: path } of rows) {
      const finding = {
        text: `merge request ${path}!${iid}: its head is not that of its source branch`,
        holds: async () => {
          const row = await openMergeRequests(db).where('merge_requests.id', '=', id).executeTakeFirst();
          if (row === undefined) return false;
          const source = `project ${row.source_project_id}`;
          const tip = await resolve(db, storages, source, `refs/heads/${row.source_branch}`);
          // A branch that is gone leaves the head as it was.
          return tip !== undefined && tip !== null && tip !== row.head_sha;
        },
      };
      if (await finding.holds()) findings.push(finding);
    }
    if (rows.length < BATCH) return findings;
    after = rows.at(-1)!.id;
  }
}

const openMergeRequests = (db: Db) =>
  db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select([
      'merge_requests.id',
      'merge_requests.iid',
      'merge_requests.head_sha',
      'merge_requests.source_branch',
      'merge_requests.source_project_id',
      'projects.full_path',
    ])
    .where('merge_requests.state', '=', 'opened')
    .where('merge_requests.source_project_id', 'is not', null)
    .orderBy('merge_requests.id');
