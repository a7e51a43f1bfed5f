import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';

/** First and longest delay between attempts to reconnect. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 1_000;
const CONNECT_MS = 10_000;
/** Timeout of a query of a few rows. */
const QUERY_MS = 10_000;
/** The database detects a dead machine within half a minute on network connections. */
const KEEPALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4';

type Step = (query: Query) => Promise<void>;
type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * A dedicated PostgreSQL connection of a process, for what lasts as long as the connection: session locks and
 * notifications. It reconnects automatically.
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

  /** @throws the database's error if it cannot be reached */
  static async open(url: string): Promise<OwnConnection> {
    const own = new OwnConnection(url);
    await own.#connect();
    return own;
  }

  /** @throws Error while the connection is lost; the database's error */
  readonly query: Query = async <Row>(text: string, values: readonly unknown[] = []) => {
    const client = this.#client;
    if (client === null) throw new Error('the connection to the database is lost');
    return ask<Row>(client, text, values);
  };

  /** Runs a step now, and after each reconnect. */
  async onReconnect(step: Step): Promise<void> {
    this.#steps.push(step);
    await step(this.query);
  }

  /** Listens to a channel; after a reconnect the listener is called in case a notification was lost. */
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
      // Not every system supports them.
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
        // Still unavailable.
      }
    }
  }
}

/** @throws the database's error; a query without an answer ends the connection */
async function ask<Row>(client: Client, text: string, values: readonly unknown[]): Promise<Row[]> {
  try {
    const { rows } = await client.query(text, [...values]);
    return rows as Row[];
  } catch (error) {
    // An error from the database has a code.
    if ((error as { code?: unknown }).code === undefined) void client.end().catch(() => {});
    throw error;
  }
}
