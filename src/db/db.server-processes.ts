import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Clock, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Db } from './db.schema.ts';
import { OwnConnection } from './own-connection.ts';

/** With the id of a process it names the lock that the process holds; any number that no other lock has. */
const LOCKS = 7_837_464;
/** How often a process says that it lives, and looks at the others. */
const HEARTBEAT_MS = 1_000;
/** Told when a process has entered. */
const ENTERED_CHANNEL = 'server_processes';
/** So long after a heartbeat that found no other process there is none: whoever enters tells it. */
const ALONE_MS = 3_000;
/** A connection that is lost, not ended, is back sooner. */
const DISCONNECTED_MS = 4_000;
/** A process whose beat stands still for so long is dead, whatever connection the database still has. */
const SILENT_MS = 90_000;
/** What was connected is taken to be so for as long. */
const ASKED_MS = 1_000;
/** Between two attempts to recover what a dead process has left, at most. */
const LAST_PAUSE_MS = 30_000;
/** A change that was begun so long ago has ended. */
const DROPPED_KEPT_MS = 86_400_000;

/** SQL for the ids of processes whose connection is there. */
const connectedSql = `select objid::bigint as id from pg_locks where locktype = 'advisory' and granted and classid = ${LOCKS}
  and database = (select oid from pg_database where datname = current_database())`;

interface Seen {
  beat: number;
  beatSince: number;
  /** Since when its connection is gone; null where it is there. */
  goneSince: number | null;
}

interface Row {
  id: number;
  beat: number;
  connected: boolean;
}

/** Recovers what a dead process has left; may be called again for the same one. */
type Recover = (id: number) => Promise<void>;

/**
 * Which processes of the server work on the database, and which of them are dead. Each holds a lock on a connection of its own and
 * counts up its row: one is dead whose connection has been gone for some seconds, or whose row stands still for a minute and a half by the
 * monotonic clock of who looks. One that was taken for dead and lives finds out when it writes what it did.
 * On SQLite there is one process, and all is answered without a question.
 */
export class ServerProcesses {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #own: OwnConnection | null;
  readonly #recoveries: Recover[] = [];
  readonly #seen = new Map<number, Seen>();
  readonly #dead = new Map<number, { tries: number; next: number }>();
  readonly #connected = new Map<number, number>();
  readonly #stop = new AbortController();
  #beating: Promise<void> = Promise.resolve();
  /** Whether the last heartbeat came to anything. */
  #beats = true;
  /** When the last heartbeat began, where it found no other process and none has entered since. */
  #aloneAt: number | null = null;
  /** This one; 0 where there is no other. */
  readonly id: number;

  private constructor(db: Db, clock: Clock, log: Logger, own: OwnConnection | null, id: number) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#own = own;
    this.id = id;
  }

  /**
   * Enters this process among those of the database.
   * @param url of PostgreSQL; null for an embedded database
   */
  static async enter(db: Db, clock: Clock, log: Logger, url: string | null): Promise<ServerProcesses> {
    if (url === null) return new ServerProcesses(db, clock, log, null, 0);
    const own = await OwnConnection.open(url);
    try {
      const id = await db.transaction().execute(async (db) => {
        await sql`select pg_notify(${ENTERED_CHANNEL}, '')`.execute(db);
        const row = { started_at: timestamp(clock) };
        const entered = await db.insertInto('server_processes').values(row).returning('id').executeTakeFirstOrThrow();
        return entered.id;
      });
      // Shared: the connection that is lost may hold it for a while beside the next one.
      await own.onReconnect(async (query) => {
        await query('select pg_advisory_lock_shared($1, $2)', [LOCKS, id]);
      });
      const processes = new ServerProcesses(db, clock, log, own, id);
      await own.listen(ENTERED_CHANNEL, () => {
        processes.#aloneAt = null;
      });
      return processes;
    } catch (error) {
      await own.close();
      throw error;
    }
  }

  /** Has something done for each process that has died, in the order of the calls. */
  onDeath(recover: Recover): void {
    this.#recoveries.push(recover);
  }

  /** Calls `listener` when another process has called `notify` with the name of the channel, or may have. */
  async listen(channel: string, listener: () => void): Promise<void> {
    await this.#own?.listen(channel, listener);
  }

  /** Tells all processes once the transaction of the handle has committed. */
  async notify(db: Db, channel: string): Promise<void> {
    if (this.#own !== null) await sql`select pg_notify(${channel}, '')`.execute(db);
  }

  /**
   * Whether another process may be at work, or have left something: false only where a heartbeat of a moment ago found none, and none has
   * entered since. For what may be left to the heartbeat, which recovers all: a process may enter that is not heard of yet.
   */
  get mayHavePeers(): boolean {
    if (this.#own === null) return false;
    return this.#aloneAt === null || performance.now() - this.#aloneAt > ALONE_MS;
  }

  /**
   * Which of the processes are not connected now, or known to be dead. What they left may be recovered by whoever needs it, as long as a process that
   * lives all the same bears that.
   */
  async disconnected(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const now = performance.now();
    const others = ids.filter((id) => id !== this.id);
    if (this.#own === null) return new Set(others);
    const unknown = others.filter(
      (id) => !this.#dead.has(id) && now - (this.#connected.get(id) ?? -ASKED_MS) >= ASKED_MS,
    );
    if (unknown.length > 0) {
      const { rows } = await sql.raw<{ id: number }>(connectedSql).execute(this.#db);
      for (const { id } of rows) this.#connected.set(Number(id), now);
    }
    return new Set(
      others.filter((id) => this.#dead.has(id) || (this.#connected.get(id) ?? -ASKED_MS) < now - ASKED_MS),
    );
  }

  /** All of which nothing has been recovered after their death, this one among them. */
  async known(): Promise<number[]> {
    const rows = await this.#db.selectFrom('server_processes').select('id').execute();
    return [this.id, ...rows.map(({ id }) => id)];
  }

  /** Forgets all others: for the start of a server that is alone, once it has recovered what they left. */
  async deleteOthers(): Promise<void> {
    await this.#db.deleteFrom('server_processes').where('id', '<>', this.id).execute();
    await this.#db.deleteFrom('dropped_ref_intents').execute();
  }

  /** Looks at the others from now on. */
  start(): void {
    if (this.#own === null) return;
    const { signal } = this.#stop;
    let recovering: Promise<void> | null = null;
    this.#beating = (async () => {
      while (!signal.aborted) {
        const now = performance.now();
        // A process that says nothing while it recovers much would be taken for dead itself.
        if ((await this.#look(now)) && recovering === null) {
          recovering = this.#recoverDead(now).finally(() => {
            recovering = null;
          });
        }
        await sleep(HEARTBEAT_MS, undefined, { signal, ref: false }).catch(() => {});
      }
      await recovering;
    })();
  }

  /** Looks no more, and leaves the others. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    await this.#own?.close();
  }

  /**
   * Says that this process lives, and recovers what those have left that are dead.
   * @param now by the monotonic clock, in milliseconds
   */
  async heartbeat(now: number): Promise<void> {
    if (await this.#look(now)) await this.#recoverDead(now);
  }

  /** @returns whether the others could be looked at */
  async #look(now: number): Promise<boolean> {
    try {
      const beganAt = performance.now();
      const rows = await this.#beat();
      this.#aloneAt = rows.length === 0 ? beganAt : null;
      for (const row of rows) if (row.id !== this.id) this.#note(row, now);
    } catch (error) {
      // Nobody knows what has happened meanwhile.
      this.#aloneAt = null;
      this.#seen.clear();
      if (this.#beats) this.#log.log('warn', 'other processes cannot be looked at', { error: String(error) });
      this.#beats = false;
      return false;
    }
    this.#beats = true;
    return true;
  }

  /** Recovers what those have left that are dead, each when it is its time. Never rejects. */
  async #recoverDead(now: number): Promise<void> {
    for (const [id, attempt] of this.#dead) {
      if (now < attempt.next) continue;
      attempt.tries += 1;
      attempt.next = now + Math.min(HEARTBEAT_MS * 2 ** Math.min(attempt.tries, 10), LAST_PAUSE_MS);
      if (await this.#recover(id)) this.#dead.delete(id);
    }
  }

  async #beat(): Promise<Row[]> {
    const rows = await this.#own!.query<Row>(
      `with mine as (
         insert into server_processes (id, beat, started_at) values ($1, 1, $2)
         on conflict (id) do update set beat = server_processes.beat + 1)
       select id, beat, id in (${connectedSql}) as connected from server_processes where id <> $1`,
      [this.id, timestamp(this.#clock)],
    );
    const all = rows.map(({ id, beat, connected }) => ({ id: Number(id), beat: Number(beat), connected }));
    const there = new Set(all.map(({ id }) => id));
    for (const id of [...this.#seen.keys()]) if (!there.has(id)) this.#seen.delete(id);
    for (const id of [...this.#connected.keys()]) if (!there.has(id)) this.#connected.delete(id);
    // Another process has recovered what it left.
    for (const id of [...this.#dead.keys()]) if (!there.has(id)) this.#dead.delete(id);
    return all;
  }

  #note({ id, beat, connected }: Row, now: number): void {
    const last = this.#seen.get(id);
    const seen: Seen = {
      beat,
      beatSince: last?.beat === beat ? last.beatSince : now,
      goneSince: connected ? null : (last?.goneSince ?? now),
    };
    this.#seen.set(id, seen);
    if (seen.beatSince === now && last !== undefined) this.#dead.delete(id);
    const isDead =
      now - seen.beatSince >= SILENT_MS || (seen.goneSince !== null && now - seen.goneSince >= DISCONNECTED_MS);
    if (isDead && !this.#dead.has(id)) this.#dead.set(id, { tries: 0, next: now });
  }

  /** @returns whether nothing is left to do */
  async #recover(id: number): Promise<boolean> {
    let error: unknown;
    for (const recover of this.#recoveries) {
      try {
        await recover(id);
      } catch (reason) {
        error ??= reason;
      }
    }
    if (error === undefined) await this.#forget(id).catch((reason: unknown) => (error = reason));
    if (error !== undefined) {
      this.#log.log('warn', 'what a dead process has left is not recovered yet', {
        process: id,
        error: String(error),
      });
      return false;
    }
    this.#log.log('info', 'what a dead process had left was recovered', { process: id });
    return true;
  }

  /** Removes the row of a process whose work is recovered. */
  async #forget(id: number): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - DROPPED_KEPT_MS).toISOString();
    await this.#db.deleteFrom('dropped_ref_intents').where('dropped_at', '<', before).execute();
    await this.#db.deleteFrom('server_processes').where('id', '=', id).execute();
  }
}
