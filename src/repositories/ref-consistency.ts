import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/db.schema.ts';
import { GitError } from '../git/common/index.ts';
import { isMissing } from '../git/files/index.ts';
import type { Storages } from '../git/repository/index.ts';
import { HOLDER_TYPES, type HolderType, holderTypes, LOCATION_COLUMNS, tableOf } from './holder.ts';
import { applyUpdates, type LastKnownRefs, recordedChanges, recordedRefs } from './recorded-refs.ts';

const BATCH = 500;
/**
 * Number of repeated checks of a difference on a running server, since row and ref cannot be read at the same instant.
 */
const LOOKS = 5;
const PAUSE_MS = 500;

interface RefFinding {
  kind: HolderType;
  id: number;
  ref: string;
  last: LastKnownRefs;
  /** Id of the last event read for it. */
  until: number;
}

/** Maximum number of differences that are checked again and reported. */
const MAX_FINDINGS = 10_000;

/**
 * Compares the recorded refs with those on disk: the last recorded change of every branch and tag, and the heads of
 * open merge requests. Works in batches.
 * @returns differences in words for an operator; empty if there is none
 */
export async function refInconsistencies(db: Db, storages: Storages): Promise<string[]> {
  const disk = new Disk(db, storages);
  const refs: RefFinding[] = [];
  for (const type of holderTypes) refs.push(...(await refFindings(db, disk, type)));
  return [...refs.map(({ kind, id, ref }) => textOf(kind, id, ref)), ...(await mergeRequestFindings(db, disk))];
}

const textOf = (kind: HolderType, id: number, ref: string): string =>
  `${kind} ${id}: ${ref} differs from its last recorded change`;

async function refFindings(db: Db, disk: Disk, kind: HolderType): Promise<RefFinding[]> {
  let findings: RefFinding[] = [];
  for await (const { refs, until } of recordedRefs(db, kind)) {
    const all = [...refs].flatMap(([id, names]) => [...names].map(([ref, last]) => ({ kind, id, ref, last, until })));
    findings.push(...(await stillDiffer(disk, kind, all)));
    if (findings.length > MAX_FINDINGS) return findings.slice(0, MAX_FINDINGS);
  }
  for (let look = 1; look < LOOKS && findings.length > 0; look += 1) {
    await sleep(PAUSE_MS);
    let lastEvent = 0;
    const known = new Map(findings.map((finding) => [`${finding.id} ${finding.ref}`, finding]));
    const since = Math.min(...findings.map(({ until }) => until));
    for await (const { id, updates, event } of recordedChanges(db, kind, since)) {
      for (const update of updates) {
        const finding = known.get(`${id} ${update.ref}`);
        if (finding === undefined || event <= finding.until) continue;
        const places = new Map([[update.ref, finding.last]]);
        applyUpdates(places, [update]);
        finding.last = places.get(update.ref)!;
      }
      lastEvent = event;
    }
    for (const finding of findings) finding.until = Math.max(finding.until, lastEvent);
    findings = await stillDiffer(disk, kind, findings);
  }
  return findings;
}

/** Refs that match none of their recorded targets. */
async function stillDiffer(disk: Disk, kind: HolderType, refs: readonly RefFinding[]): Promise<RefFinding[]> {
  const differing: RefFinding[] = [];
  for (let at = 0; at < refs.length; at += BATCH) {
    const some = refs.slice(at, at + BATCH);
    const places = await disk.locate(kind, some);
    for (const finding of some) {
      const now = await disk.tipOf(places.get(finding.id), finding.ref);
      if (now !== undefined && !finding.last.includes(now)) differing.push(finding);
    }
  }
  return differing;
}

interface Place {
  storage: string;
  diskPath: string;
}

/** Refs of repositories on disk. */
class Disk {
  readonly #db: Db;
  readonly #storages: Storages;

  constructor(db: Db, storages: Storages) {
    this.#db = db;
    this.#storages = storages;
  }

  /** Locations of existing repositories without a change in progress. */
  async locate(kind: HolderType, holders: readonly { id: number }[]): Promise<Map<number, Place>> {
    const ids = [...new Set(holders.map(({ id }) => id))];
    if (ids.length === 0) return new Map();
    const { column } = HOLDER_TYPES[kind];
    const rows = await this.#db.selectFrom(tableOf(kind)).select(LOCATION_COLUMNS).where('id', 'in', ids).execute();
    const intents = await this.#db.selectFrom('ref_intents').select(column).where(column, 'in', ids).execute();
    const busy = new Set(intents.map((intent) => intent[column]));
    return new Map(
      rows
        .filter(({ id }) => !busy.has(id))
        .map((row) => [row.id, { storage: row.repository_storage, diskPath: row.disk_path }]),
    );
  }

  /** @returns undefined if the repository cannot be read, which another check reports */
  async tipOf(place: Place | undefined, ref: string): Promise<string | null | undefined> {
    if (place === undefined) return undefined;
    try {
      return await this.#storages.open(place).refs.resolve(ref);
    } catch (error) {
      if (error instanceof GitError || isMissing(error)) return undefined;
      throw error;
    }
  }
}

async function mergeRequestFindings(db: Db, disk: Disk): Promise<string[]> {
  let differing: MergeRequestRow[] = [];
  for (let after = 0; ; ) {
    const rows = await openMergeRequests(db).where('merge_requests.id', '>', after).limit(BATCH).execute();
    differing.push(...(await withOtherHead(disk, rows)));
    if (rows.length < BATCH || differing.length > MAX_FINDINGS) break;
    after = rows.at(-1)!.id;
  }
  for (let look = 1; look < LOOKS && differing.length > 0; look += 1) {
    await sleep(PAUSE_MS);
    const held: MergeRequestRow[] = [];
    for (let at = 0; at < differing.length; at += BATCH) {
      const ids = differing.slice(at, at + BATCH).map(({ id }) => id);
      const rows = await openMergeRequests(db).where('merge_requests.id', 'in', ids).execute();
      held.push(...(await withOtherHead(disk, rows)));
    }
    differing = held;
  }
  return differing.map(
    ({ full_path, iid }) => `merge request ${full_path}!${iid}: its head differs from the head of its source branch`,
  );
}

type MergeRequestRow = Awaited<ReturnType<ReturnType<typeof openMergeRequests>['executeTakeFirstOrThrow']>>;

async function withOtherHead(disk: Disk, rows: readonly MergeRequestRow[]): Promise<MergeRequestRow[]> {
  const places = await disk.locate(
    'project',
    rows.map((row) => ({ id: row.source_project_id! })),
  );
  const differing: MergeRequestRow[] = [];
  for (const row of rows) {
    const tip = await disk.tipOf(places.get(row.source_project_id!), `refs/heads/${row.source_branch}`);
    // A deleted branch does not change the head.
    if (tip !== undefined && tip !== null && tip !== row.head_sha) differing.push(row);
  }
  return differing;
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
