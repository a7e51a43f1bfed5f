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

interface FollowUp {
  kind: string;
  delayMs: number;
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
  readonly #followUps = new Map<DomainEventType, FollowUp[]>();

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

  /**
   * Has a job of the kind run for the project some time after an event of these types, once for a burst of them. For
   * work that need not know what happened, only that something did. The job's payload is `{ project_id }`.
   */
  followUp(types: readonly DomainEventType[], kind: string, delayMs: number): void {
    for (const type of types) this.#followUps.set(type, [...(this.#followUps.get(type) ?? []), { kind, delayMs }]);
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
    if (about.projectId != null) await this.#enqueueFollowUps(db, type, about.projectId);
    return id;
  }

  async #enqueueFollowUps(db: Db, type: DomainEventType, projectId: number): Promise<void> {
    for (const { kind, delayMs } of this.#followUps.get(type) ?? []) {
      const runAt = new Date(this.#clock.now().getTime() + delayMs);
      await this.#jobs.enqueue(db, kind, { project_id: projectId }, { uniqueKey: `${kind}:${projectId}`, runAt });
    }
  }
}
