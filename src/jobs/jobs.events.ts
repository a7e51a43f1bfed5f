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

/** One of the jobs that a subscriber wants for an event. */
export interface SubscriptionJob {
  /** Jobs of one key run one at a time, in the order of their events. */
  orderKey?: string;
  /** What `handle` is given: what to do, and what has to be told as it was when it happened. As JSON. */
  data?: unknown;
}

export interface Subscription<T extends DomainEventType> {
  /** Stable, for it is part of stored jobs. */
  name: string;
  types: readonly T[];
  /** `events` where it is left out. */
  lane?: Lane;
  /** Milliseconds. */
  timeoutMs?: number;
  maxAttempts?: number;
  /**
   * Whether it wants an event, before any job is written: one job, none, or one for each target. Called in the
   * transaction of the event with its handle, by everybody who makes such events: so it is quick, and asks git nothing.
   */
  wants?: (event: RecordedEvent<T>, db: Db) => WantedJobs | Promise<WantedJobs>;
  /**
   * Does at once, in the transaction of the event, what takes a statement or two: called before `wants`. True where nothing is
   * left for a job to do.
   */
  synchronous?: (event: RecordedEvent<T>, db: Db) => Promise<boolean>;
  /** At least once for each event that it wanted; the event's id tells one from the other. */
  handle: (event: RecordedEvent<T>, job: { data: unknown; attempts: number; signal: AbortSignal }) => Promise<void>;
}

type WantedJobs = boolean | readonly SubscriptionJob[];

interface EventJob {
  event_id: number;
  data?: unknown;
  /** The chain of webhook events that led to it: what the job does belongs to it, too. */
  hook_chain?: string;
}

interface FollowUp {
  kind: JobKind<{ project_id?: number }>;
  delayMs: number;
}

interface Subscriber {
  kind: JobKind<EventJob>;
  wants: (event: RecordedEvent<never>, db: Db) => WantedJobs | Promise<WantedJobs>;
}

/** What an event belongs to, and who made it. */
export interface EventOrigin {
  projectId?: number | null;
  groupId?: number | null;
  actorId?: number | null;
}

/** Events that one statement records. */
const BATCH_SIZE = 500;

const eventOfId = prepared((db, { id }: { id: number }) =>
  db.selectFrom('domain_events').selectAll().where('id', '=', id),
);

const insertEvents = prepared((db, rows: Columns<Insertable<Schema['domain_events']>>) =>
  db.insertInto('domain_events').values(rowsOf(rows)).returning('id'),
);

/** A job cannot be done, now or later. */
class UndeliverableEvent extends Error {
  readonly permanent = true;
}

/**
 * Hands recorded events to whoever wants them. Producers know no subscriber. Each subscriber gets each event that it wants
 * as a job of its own: at least once, retried apart from the others; the event's id is the idempotency key.
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
      // Not spread: what a scope tells when it is asked is nothing of its own.
      const { caller, memory, origin, signal: end } = currentScope();
      await inScope({ caller, memory, origin, signal: end, hookChain }, () =>
        handle(event as RecordedEvent<T>, { data, attempts, signal }),
      );
    });
  }

  /** @throws UndeliverableEvent, so that the job is kept and shown, for an event that is gone or of a kind that is not known */
  async #load(id: number): Promise<RecordedEvent> {
    const [row] = await eventOfId(this.#db, { id });
    if (row === undefined) throw new UndeliverableEvent(`event ${id} is gone`);
    if (!isEventKind(row.type))
      throw new UndeliverableEvent(`event ${id} is of the kind ${row.type}, which this version does not know`);
    return { ...row, type: row.type, payload: JSON.parse(row.payload) };
  }

  /**
   * Has a job of the kind run for the project some time after an event of these types, once for a burst of them. For
   * work that need not know what happened, only that something did.
   */
  followUp(types: readonly DomainEventType[], kind: JobKind<{ project_id?: number }>, delayMs: number): void {
    for (const type of types) this.#followUps.set(type, [...(this.#followUps.get(type) ?? []), { kind, delayMs }]);
  }

  /**
   * Records what happened, with the handle of the transaction in which it happens, and writes the jobs that follow.
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
   * Records several events of a kind, in a few statements however many they are.
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
    // Numbers are given in the order of the rows; in which order they are returned is not promised.
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    const jobs: NewJob<unknown>[] = [];
    for (const [index, payload] of payloads.entries()) {
      const event: RecordedEvent<T> = { ...values, id: ids[index]!, payload };
      jobs.push(...(await this.#wanted(db, event)), ...this.#following(event));
    }
    await this.#jobs.enqueueAll(db, jobs);
    return ids;
  }

  async #wanted<T extends DomainEventType>(db: Db, event: RecordedEvent<T>): Promise<NewJob<EventJob>[]> {
    const jobs: NewJob<EventJob>[] = [];
    const { hookChain } = currentScope();
    for (const { kind, wants } of this.#subscribers.get(event.type) ?? []) {
      const wanted = await wants(event as RecordedEvent<never>, db);
      const targets: readonly SubscriptionJob[] = wanted === true ? [{}] : wanted === false ? [] : wanted;
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
