import { sql } from 'kysely';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import { type Ids, prepared } from '../db/prepared.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { type Candidate, type LaneQuota, projectsBelow, RootLimiter } from './root-quotas.ts';

export interface ClaimRequest {
  /** The lane; all lanes in order of `run_at` if absent. */
  lane?: string;
  /** Names of the kinds known to this process. */
  kinds: readonly string[];
  limit: number;
  /** Jobs due at this time. */
  now: string;
  /** Claim that is written to the jobs. */
  claim: string;
  /** Quota of root namespaces in the lane. */
  share?: LaneQuota | undefined;
}

const dueJob = prepared((db, { lane, kinds, now }: { lane: string; kinds: readonly string[]; now: string }) =>
  db
    .selectFrom('jobs')
    .select('id')
    .where('lane', '=', lane)
    .where('state', '=', 'waiting')
    .where('run_at', '<=', now)
    .where('kind', 'in', kinds)
    .limit(1),
);

/** Whether a lane has due jobs. Queries without a transaction. */
export async function hasDueJobs(
  db: Db,
  { lane, kinds, now }: Pick<ClaimRequest, 'lane' | 'kinds' | 'now'>,
): Promise<boolean> {
  const [due] = await dueJob(db, { lane: lane!, kinds, now });
  return due !== undefined;
}

const takeJobs = prepared((db, { claim, ids }: { claim: string; ids: readonly number[] }) =>
  db
    .updateTable('jobs')
    .set((eb) => ({ state: 'running', claim, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll(),
);

/**
 * Claims due jobs, within a transaction: first those whose turn it is, then, if workers are left, any due jobs. Of an
 * `order_key` only the first job is claimed, and only if no other one of it runs; the others are held until it has
 * ended. Among several processes each job is claimed by one. Jobs of a root namespace that has used its quota wait.
 * @param postgres whether rows are locked individually
 */
export async function claimJobs(db: Db, postgres: boolean, request: ClaimRequest): Promise<StoredJob[]> {
  const taken: StoredJob[] = [];
  const shares = request.share === undefined ? null : await RootLimiter.of(db, request.share);
  while (taken.length < request.limit) {
    const limit = request.limit - taken.length;
    const candidates = await candidatesOf(db, postgres, { ...request, limit }, shares?.full ?? []);
    const { ready: inTurn, held } = await inOrder(db, postgres, candidates);
    const fitting = shares === null ? inTurn : await shares.reserve(db, inTurn);
    const ready = fitting.map(({ id }) => id);
    if (ready.length > 0) {
      const rows = await takeJobs(db, { claim: request.claim, ids: ready });
      taken.push(...rows.sort((a, b) => ready.indexOf(a.id) - ready.indexOf(b.id)));
    }
    // Jobs of exhausted quotas are skipped from then on.
    if (held === 0 && ready.length === inTurn.length) break;
  }
  return taken;
}

async function candidatesOf(
  db: Db,
  postgres: boolean,
  request: ClaimRequest,
  full: readonly string[],
): Promise<Candidate[]> {
  const { lane, kinds, limit, now } = request;
  const waiting = () =>
    waitingJobs(db, postgres, kinds).$if(full.length > 0, (query) =>
      query.where((eb) => eb.not(eb.exists(projectsBelow(db, full)))),
    );
  if (lane === undefined) return byTime(waiting(), now).limit(limit).execute();
  const { inTurn, rest } = postgres ? LOCKED : UNLOCKED;
  const ask = (which: typeof inTurn | typeof rest, limit: number) =>
    full.length === 0
      ? which.ask(db, { lane, kinds, now }, limit)
      : which
          .of(waiting().where('lane', '=', lane), now)
          .limit(limit)
          .execute();
  const first = await ask(inTurn, limit);
  return first.length === limit ? first : [...first, ...(await ask(rest, limit - first.length))];
}

/** Query for claimable rows, locked on PostgreSQL. */
const waitingJobs = (db: Db, postgres: boolean, kinds: readonly string[]) =>
  db
    .selectFrom('jobs')
    .select(['id', 'order_key', 'project_id'])
    .where('state', '=', 'waiting')
    .where('kind', 'in', kinds)
    .$if(postgres, (query) => query.forUpdate().skipLocked());
type Waiting = ReturnType<typeof waitingJobs>;

const byTurn = (waiting: Waiting, now: string): Waiting =>
  waiting.where('turn_at', '<=', now).orderBy('turn_at').orderBy('id');
const byTime = (waiting: Waiting, now: string): Waiting =>
  waiting.where('run_at', '<=', now).orderBy('run_at').orderBy('id');
const pastTurns = (waiting: Waiting, now: string): Waiting => byTime(waiting, now).where('turn_at', '>', now);

interface InLane {
  lane: string;
  kinds: readonly string[];
  now: string;
}

/**
 * One query for each limit, of which there are as many as workers, because SQLite compiles a query with a limit
 * parameter each time.
 */
function inLane(postgres: boolean, of: typeof byTurn) {
  const limited = (limit: number) =>
    prepared((db, { lane, kinds, now }: InLane) =>
      of(waitingJobs(db, postgres, kinds).where('lane', '=', lane), now).limit(limit),
    );
  const queries = new Map<number, ReturnType<typeof limited>>();
  const ask = (db: Db, values: InLane, limit: number) => {
    const query = queries.get(limit) ?? limited(limit);
    queries.set(limit, query);
    return query(db, values);
  };
  return { of, ask };
}
const UNLOCKED = { inTurn: inLane(false, byTurn), rest: inLane(false, pastTurns) };
const LOCKED = { inTurn: inLane(true, byTurn), rest: inLane(true, pastTurns) };

const withHeads = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('jobs')
    .select(['id', 'order_key'])
    .select((eb) =>
      eb
        .selectFrom('jobs as first')
        .select('first.id')
        .whereRef('first.order_key', '=', 'jobs.order_key')
        // This wording makes SQLite use the partial index on jobs that are not dead.
        .where(sql<boolean>`first.state <> 'dead'`)
        .orderBy('first.id')
        .limit(1)
        .as('head'),
    )
    .where('id', 'in', ids),
);

/** The candidates that may run now. Others of the same key become held; keys in use by another process are skipped. */
async function inOrder(
  db: Db,
  postgres: boolean,
  candidates: readonly Candidate[],
): Promise<{ ready: Candidate[]; held: number }> {
  const keyed = candidates.filter(({ order_key }) => order_key !== null).map(({ id }) => id);
  if (keyed.length === 0) return { ready: [...candidates], held: 0 };
  const heads = await withHeads(db, { ids: keyed });
  const behind = heads.filter(({ id, head }) => id !== head);
  const later = new Set(behind.map(({ id }) => id));
  const ready = candidates.filter(({ id }) => !later.has(id));
  if (behind.length === 0) return { ready, held: 0 };
  // While its row is locked, the first job cannot end unnoticed, which would release the others.
  const locked = await db
    .selectFrom('jobs')
    .select(['id', 'order_key'])
    .where(
      'id',
      'in',
      behind.map(({ head }) => head!),
    )
    .$if(postgres, (query) => query.forUpdate().skipLocked())
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ state: 'held' })
    .where('state', '=', 'waiting')
    .where('order_key', 'in', pluck(locked, 'order_key'))
    .where('id', 'not in', pluck(locked, 'id'))
    .executeTakeFirstOrThrow();
  return { ready, held: Number(numUpdatedRows) };
}
