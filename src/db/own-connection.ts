import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';

/** Between two attempts to get a lost connection back: the first, and the longest. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 1_000;
const CONNECT_MS = 10_000;
/** A query of a few rows that takes so long will not be answered any more. */
const QUERY_MS = 10_000;
/** The database tells in half a minute that a machine is gone, where it is reached over a network. */
const KEEPALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4';

type Step = (query: Query) => Promise<void>;
type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * A connection to PostgreSQL that a process keeps for itself, for what lasts as long as the connection: locks of the session,
 * notifications. One that is lost comes back by itself.
 */
export class OwnConnection {
  readonly #url: string;
  readonly #steps: Step[] = [];
  readonly #listeners = new Map<string, () => void>();
  #client: Client | null = null;
  #closed = false;

  private constructor(url: string) {
    this.#url = url;
  }

  /** @throws what the database says when it cannot be reached */
  static async open(url: string): Promise<OwnConnection> {
    const own = new OwnConnection(url);
    await own.#connect();
    return own;
  }

  /** @throws while the connection is lost, and what the database says */
  readonly query: Query = async <Row>(text: string, values: readonly unknown[] = []) => {
    const client = this.#client;
    if (client === null) throw new Error('the connection to the database is lost');
    return ask<Row>(client, text, values);
  };

  /** Does something now, and again each time the connection has come back. */
  async onReconnect(step: Step): Promise<void> {
    this.#steps.push(step);
    await step(this.query);
  }

  /** Listens to a channel; what was told while the connection was lost counts as told when it has come back. */
  async listen(channel: string, listener: () => void): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.onReconnect(async (query) => {
      await query(`listen ${channel}`);
      listener();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #connect(): Promise<void> {
    const { default: pg } = await import('pg');
    const client: Client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: CONNECT_MS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
    });
    client.on('error', () => {});
    client.on('notification', ({ channel }: Notification) => this.#listeners.get(channel)?.());
    try {
      await client.connect();
      // Not every system has them.
      await client.query(KEEPALIVE).catch(() => {});
      for (const step of this.#steps) await step((text, values = []) => ask(client, text, values));
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) return void client.end().catch(() => {});
    this.#client = client;
    client.once('end', () => this.#lost(client));
  }

  #lost(client: Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#closed; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      await sleep(pause, undefined, { ref: false });
      try {
        if (!this.#closed) await this.#connect();
        return;
      } catch {
        // Not back yet.
      }
    }
  }
}

/** @throws what the database says; a query that it does not answer ends the connection */
async function ask<Row>(client: Client, text: string, values: readonly unknown[]): Promise<Row[]> {
  try {
    const { rows } = await client.query(text, [...values]);
    return rows as Row[];
  } catch (error) {
    // An answer of the database has a code.
    if ((error as { code?: unknown }).code === undefined) void client.end().catch(() => {});
    throw error;
  }
}
