import { type Clock, timestamp } from '../core/clock.ts';
import type { DomainEvents, DomainEventType } from '../core/domain-events.ts';
import type { Db } from '../db/schema.ts';
import type { JobQueue } from './queue.ts';

export interface RecordedEvent<T extends DomainEventType = DomainEventType> {
  id: number;
  type: T;
  project_id: number | null;
  group_id: number | null;
  actor_id: number | null;
  payload: DomainEvents[T];
  created_at: string;
}

export type Subscriber<T extends DomainEventType> = (event: RecordedEvent<T>) => Promise<void>;

/**
 * Hands recorded events to whoever subscribed. Producers know no subscriber. Each subscriber gets each event as a job
 * of its own: at least once, retried apart from the others; the event's id is the idempotency key.
 */
export class EventBus {
  readonly #jobs: JobQueue;
  readonly #clock: Clock;
  readonly #subscribers = new Map<DomainEventType, string[]>();

  constructor(jobs: JobQueue, clock: Clock) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  /** @param name stable name of the subscriber; it is part of stored jobs */
  subscribe<T extends DomainEventType>(db: Db, name: string, types: readonly T[], subscriber: Subscriber<T>): void {
    for (const type of types) this.#subscribers.set(type, [...(this.#subscribers.get(type) ?? []), name]);
    this.#jobs.register<{ event_id: number }>(`event:${name}`, async ({ event_id }) => {
      const row = await db.selectFrom('domain_events').selectAll().where('id', '=', event_id).executeTakeFirst();
      if (row !== undefined) await subscriber({ ...row, type: row.type as T, payload: JSON.parse(row.payload) });
    });
  }

  /** Records what happened, with the handle of the transaction in which it happens. */
  async record<T extends DomainEventType>(
    db: Db,
    type: T,
    payload: DomainEvents[T],
    about: { projectId?: number | null; groupId?: number | null; actorId?: number | null } = {},
  ): Promise<number> {
    const { id } = await db
      .insertInto('domain_events')
      .values({
        type,
        payload: JSON.stringify(payload),
        project_id: about.projectId ?? null,
        group_id: about.groupId ?? null,
        actor_id: about.actorId ?? null,
        created_at: timestamp(this.#clock),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const name of this.#subscribers.get(type) ?? []) {
      await this.#jobs.enqueue(db, `event:${name}`, { event_id: id });
    }
    return id;
  }
}
