import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Clock, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Db } from './db.schema.ts';
import { OwnConnection } from './own-connection.ts';

/** Class of the advisory locks; the id of a process is the second part. */
const LOCKS = 7_837_464;
/** Interval at which a process sends its heartbeat and checks the others. */
const HEARTBEAT_MS = 1_000;
/** Channel on which new processes are announced. */
const ENTERED_CHANNEL = 'server_processes';
/** Time after a heartbeat without other processes in which there are none: new ones are announced. */
const ALONE_MS = 3_000;
/** A connection that was lost, not closed, is restored sooner. */
const DISCONNECTED_MS = 4_000;
/** A process without heartbeat for this time is dead, whatever connections remain. */
const SILENT_MS = 90_000;
/** Time for which connection states are cached. */
const ASKED_MS = 1_000;
/** Longest delay between attempts to recover a dead process. */
const LAST_PAUSE_MS = 30_000;
/** A change that began so long ago has ended. */
const DROPPED_RETENTION_MS = 86_400_000;

/** SQL for the ids of connected processes. */
const connectedSql = `select objid::bigint as id from pg_locks where locktype = 'advisory' and granted and classid = ${LOCKS}
  and database = (select oid from pg_database where datname = current_database())`;

interface Seen {
  beat: number;
  beatSince: number;
  /** Time at which its connection was lost; null while it is connected. */
  goneSince: number | null;
}

interface Row {
  id: number;
  beat: number;
  connected: boolean;
}

/** Recovers the leftovers of a dead process; may be called repeatedly for the same one. */
type Recover = (id: number) => Promise<void>;

/**
 * Tracks the server processes on the database and detects dead ones. Each holds an advisory lock on a connection of its
 * own and increments its heartbeat row. A process is dead if its connection has been gone for some seconds, or its
 * heartbeat has stood still for 90 seconds by the observer's monotonic clock. A live process that was taken for dead
 * notices it when it writes its results. On SQLite there is one process, and everything is answered without a query.
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
  /** Whether the last heartbeat succeeded. */
  #beats = true;
  /** When the last heartbeat began, if it found no other process and none was announced since. */
  #aloneAt: number | null = null;
  /** Id of this process; 0 if there are no others. */
  readonly id: number;

  private constructor(db: Db, clock: Clock, log: Logger, own: OwnConnection | null, id: number) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#own = own;
    this.id = id;
  }

  /**
   * Registers this process in the database.
   * @param url URL of PostgreSQL; null for an embedded database
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
      // A shared lock, because the lost connection may still hold it beside the next one.
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

  /** Registers work to do for each dead process, in the order of the calls. */
  onDeath(recover: Recover): void {
    this.#recoveries.push(recover);
  }

  /** Calls `listener` after another process has called `notify` for the channel, or may have. */
  async listen(channel: string, listener: () => void): Promise<void> {
    await this.#own?.listen(channel, listener);
  }

  /** Notifies all processes after the transaction of the handle commits. */
  async notify(db: Db, channel: string): Promise<void> {
    if (this.#own !== null) await sql`select pg_notify(${channel}, '')`.execute(db);
  }

  /**
   * Whether another process may be running or have leftovers: false only if a recent heartbeat found none and none was
   * announced since. For work that may also be left to the heartbeat, which recovers everything: a new process may be
   * unknown yet.
   */
  get mayHavePeers(): boolean {
    if (this.#own === null) return false;
    return this.#aloneAt === null || performance.now() - this.#aloneAt > ALONE_MS;
  }

  /**
   * Which of the processes are disconnected or dead. Their leftovers may be recovered if a live process tolerates that.
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

  /** All processes that have not been recovered, including this one. */
  async known(): Promise<number[]> {
    const rows = await this.#db.selectFrom('server_processes').select('id').execute();
    return [this.id, ...rows.map(({ id }) => id)];
  }

  /** Deletes all others: for the start of a server that is alone, after it has recovered their leftovers. */
  async deleteOthers(): Promise<void> {
    await this.#db.deleteFrom('server_processes').where('id', '<>', this.id).execute();
    await this.#db.deleteFrom('dropped_ref_intents').execute();
  }

  /** Starts the heartbeat. */
  start(): void {
    if (this.#own === null) return;
    const { signal } = this.#stop;
    let recovering: Promise<void> | null = null;
    this.#beating = (async () => {
      while (!signal.aborted) {
        const now = performance.now();
        // A process that sends no heartbeat during a long recovery would be taken for dead itself.
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

  /** Stops the heartbeat and unregisters this process. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    await this.#own?.close();
  }

  /**
   * Sends the heartbeat, and recovers dead processes.
   * @param now monotonic time in milliseconds
   */
  async heartbeat(now: number): Promise<void> {
    if (await this.#look(now)) await this.#recoverDead(now);
  }

  /** @returns whether the other processes could be checked */
  async #look(now: number): Promise<boolean> {
    try {
      const beganAt = performance.now();
      const rows = await this.#beat();
      this.#aloneAt = rows.length === 0 ? beganAt : null;
      for (const row of rows) if (row.id !== this.id) this.#note(row, now);
    } catch (error) {
      // Anything may have happened meanwhile.
      this.#aloneAt = null;
      this.#seen.clear();
      if (this.#beats) this.#log.log('warn', 'other processes cannot be checked', { error: String(error) });
      this.#beats = false;
      return false;
    }
    this.#beats = true;
    return true;
  }

  /** Recovers dead processes that are due. Never rejects. */
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
    // Another process has recovered it.
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
      this.#log.log('warn', 'a dead process is not recovered yet', {
        process: id,
        error: String(error),
      });
      return false;
    }
    this.#log.log('info', 'a dead process was recovered', { process: id });
    return true;
  }

  /** Deletes the row of a recovered process. */
  async #forget(id: number): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - DROPPED_RETENTION_MS).toISOString();
    await this.#db.deleteFrom('dropped_ref_intents').where('dropped_at', '<', before).execute();
    await this.#db.deleteFrom('server_processes').where('id', '=', id).execute();
  }
}
