import type { Insertable } from 'kysely';
import { type Clock, timestamp } from '../core/clock.ts';
import { type DomainEvents, type DomainEventType, isEventKind } from '../core/core.domain-events.ts';
import { currentScope, inScope } from '../core/request-scope.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { type Columns, columnsOf, prepared, rowsOf } from '../db/prepared.ts';
import { type JobKind, jobKind, type Lane } from './jobs.kinds.ts';
import type { JobQueue, NewJob } from './jobs.queue.ts';

export interface RecordedEvent<T extends DomainEventType = DomainEventType> {
  id: number;
  type: T;
  project_id: number | null;
  group_id: number | null;
  actor_id: number | null;
  payload: DomainEvents[T];
  created_at: string;
}

/** A job that a subscriber requests for an event. */
export interface SubscriptionJob {
  /** Jobs with the same key run one at a time, in the order of their events. */
  orderKey?: string;
  /** Input of `handle`: what to do, and facts that must be recorded as they are now. Stored as JSON. */
  data?: unknown;
}

export interface Subscription<T extends DomainEventType> {
  /** Part of stored jobs, so it must not change. */
  name: string;
  types: readonly T[];
  /** Default: `events`. */
  lane?: Lane;
  /** Timeout in milliseconds. */
  timeoutMs?: number;
  maxAttempts?: number;
  /**
   * Whether an event is wanted: one job, none, or one for each target. Called in the transaction of the event with its
   * handle, so it has to be fast and must not call git.
   */
  wants?: (event: RecordedEvent<T>, db: Db) => RequestedJobs | Promise<RequestedJobs>;
  /**
   * Handles the event in its transaction, for work of one or two statements; called before `wants`. Returns true if no
   * job is needed.
   */
  synchronous?: (event: RecordedEvent<T>, db: Db) => Promise<boolean>;
  /** Runs at least once for each wanted event; the event's id identifies it. */
  handle: (event: RecordedEvent<T>, job: { data: unknown; attempts: number; signal: AbortSignal }) => Promise<void>;
}

type RequestedJobs = boolean | readonly SubscriptionJob[];

interface EventJob {
  event_id: number;
  data?: unknown;
  /** The chain of webhook events that led to this one; work of the job continues it. */
  hook_chain?: string;
}

interface FollowUp {
  kind: JobKind<{ project_id?: number }>;
  delayMs: number;
}

interface Subscriber {
  kind: JobKind<EventJob>;
  wants: (event: RecordedEvent<never>, db: Db) => RequestedJobs | Promise<RequestedJobs>;
}

/** The project or group of an event, and its author. */
export interface EventOrigin {
  projectId?: number | null;
  groupId?: number | null;
  actorId?: number | null;
}

/** Events recorded by one statement. */
const BATCH_SIZE = 500;

const eventOfId = prepared((db, { id }: { id: number }) =>
  db.selectFrom('domain_events').selectAll().where('id', '=', id),
);

const insertEvents = prepared((db, rows: Columns<Insertable<Schema['domain_events']>>) =>
  db.insertInto('domain_events').values(rowsOf(rows)).returning('id'),
);

/** The job can never be done. */
class UndeliverableEvent extends Error {
  readonly permanent = true;
}

/**
 * Delivers recorded events to subscribers, which producers do not know. Each subscriber gets each wanted event as a
 * separate job: at least once and retried independently; the event's id is the idempotency key.
 */
export class EventBus {
  readonly #db: Db;
  readonly #jobs: JobQueue;
  readonly #clock: Clock;
  readonly #subscribers = new Map<DomainEventType, Subscriber[]>();
  readonly #followUps = new Map<DomainEventType, FollowUp[]>();

  constructor(db: Db, jobs: JobQueue, clock: Clock) {
    this.#db = db;
    this.#jobs = jobs;
    this.#clock = clock;
  }

  subscribe<T extends DomainEventType>(subscription: Subscription<T>): void {
    const { name, types, lane = 'events', wants: wantsOne = () => true, synchronous, handle } = subscription;
    const { timeoutMs, maxAttempts } = subscription;
    const wants: typeof wantsOne = async (event, db) => !(await synchronous?.(event, db)) && wantsOne(event, db);
    const kind = jobKind<EventJob>(`event:${name}`, {
      lane,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
    });
    for (const type of types) this.#subscribers.set(type, [...(this.#subscribers.get(type) ?? []), { kind, wants }]);
    this.#jobs.register(kind, async ({ event_id, data, hook_chain: hookChain }, { attempts, signal }) => {
      const event = await this.#load(event_id);
      // Not spread, because getters of a scope are not own properties.
      const { caller, memory, origin, signal: end } = currentScope();
      await inScope({ caller, memory, origin, signal: end, hookChain }, () =>
        handle(event as RecordedEvent<T>, { data, attempts, signal }),
      );
    });
  }

  /** @throws UndeliverableEvent for a missing event or an unknown kind, so that the job is kept as dead */
  async #load(id: number): Promise<RecordedEvent> {
    const [row] = await eventOfId(this.#db, { id });
    if (row === undefined) throw new UndeliverableEvent(`event ${id} does not exist any more`);
    if (!isEventKind(row.type))
      throw new UndeliverableEvent(`event ${id} has the kind ${row.type}, which this version does not know`);
    return { ...row, type: row.type, payload: JSON.parse(row.payload) };
  }

  /**
   * Enqueues a job of the kind for the project some time after an event of these types, once for a burst of them. For
   * work that does not depend on the event itself.
   */
  followUp(types: readonly DomainEventType[], kind: JobKind<{ project_id?: number }>, delayMs: number): void {
    for (const type of types) this.#followUps.set(type, [...(this.#followUps.get(type) ?? []), { kind, delayMs }]);
  }

  /**
   * Records an event with the transaction's handle and enqueues the jobs of its subscribers.
   * @returns the event's id
   */
  async record<T extends DomainEventType>(
    db: Db,
    type: T,
    payload: DomainEvents[T],
    about: EventOrigin = {},
  ): Promise<number> {
    const [id] = await this.recordAll(db, type, [payload], about);
    return id!;
  }

  /**
   * Records several events of a kind in a few statements.
   * @returns their ids, in the order of the payloads
   */
  async recordAll<T extends DomainEventType>(
    db: Db,
    type: T,
    payloads: readonly DomainEvents[T][],
    about: EventOrigin = {},
  ): Promise<number[]> {
    const ids: number[] = [];
    for (let at = 0; at < payloads.length; at += BATCH_SIZE) {
      ids.push(...(await this.#recordSome(db, type, payloads.slice(at, at + BATCH_SIZE), about)));
    }
    return ids;
  }

  async #recordSome<T extends DomainEventType>(
    db: Db,
    type: T,
    payloads: readonly DomainEvents[T][],
    about: EventOrigin,
  ): Promise<number[]> {
    const values = {
      type,
      project_id: about.projectId ?? null,
      group_id: about.groupId ?? null,
      actor_id: about.actorId ?? null,
      created_at: timestamp(this.#clock),
    };
    const rows = await insertEvents(
      db,
      columnsOf(payloads.map((payload) => ({ ...values, payload: JSON.stringify(payload) }))),
    );
    // Ids are assigned in the order of the rows, but may be returned in any order.
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    const jobs: NewJob<unknown>[] = [];
    for (const [index, payload] of payloads.entries()) {
      const event: RecordedEvent<T> = { ...values, id: ids[index]!, payload };
      jobs.push(...(await this.#jobsFor(db, event)), ...this.#following(event));
    }
    await this.#jobs.enqueueAll(db, jobs);
    return ids;
  }

  async #jobsFor<T extends DomainEventType>(db: Db, event: RecordedEvent<T>): Promise<NewJob<EventJob>[]> {
    const jobs: NewJob<EventJob>[] = [];
    const { hookChain } = currentScope();
    for (const { kind, wants } of this.#subscribers.get(event.type) ?? []) {
      const requestedJobs = await wants(event as RecordedEvent<never>, db);
      const targets: readonly SubscriptionJob[] =
        requestedJobs === true ? [{}] : requestedJobs === false ? [] : requestedJobs;
      for (const { orderKey, data } of targets) {
        jobs.push({
          kind,
          payload: {
            event_id: event.id,
            ...(data === undefined ? {} : { data }),
            ...(hookChain === undefined ? {} : { hook_chain: hookChain }),
          },
          eventId: event.id,
          projectId: event.project_id,
          ...(orderKey === undefined ? {} : { orderKey }),
        });
      }
    }
    return jobs;
  }

  #following({ type, project_id }: RecordedEvent): NewJob<{ project_id?: number }>[] {
    if (project_id === null) return [];
    return (this.#followUps.get(type) ?? []).map(({ kind, delayMs }) => ({
      kind,
      payload: { project_id },
      uniqueKey: project_id,
      projectId: project_id,
      runAt: new Date(this.#clock.now().getTime() + delayMs),
    }));
  }
}
