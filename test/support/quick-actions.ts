import { expectStatus, type TestApp } from './app.ts';
import type { TestUser } from './factories.ts';

type Row = Record<string, unknown>;

/** The usernames in a list of users, as answers have it. */
export const usernamesOf = (users: unknown): unknown[] => (users as Row[]).map(({ username }) => username);

/** An issue or merge request that notes with quick actions are written to. */
export class TestIssuable {
  readonly #app: TestApp;
  readonly #path: string;

  /** @param path of its endpoints: `/projects/1/issues/2` */
  constructor(app: TestApp, path: string) {
    this.#app = app;
    this.#path = path;
  }

  /** Writes a note. @param user the administrator, unless given @param more parameters beside the body */
  say(body: string, user?: TestUser, more: Row = {}): ReturnType<TestApp['post']> {
    const as = user === undefined ? {} : { token: user.token };
    return this.#app.post(`${this.#path}/notes`, { json: { body, ...more }, ...as });
  }

  /** Writes quick actions alone. @returns their summary */
  async summaryOf(body: string, user?: TestUser, more: Row = {}): Promise<string> {
    const { summary } = expectStatus<{ summary: string[] }>(await this.say(body, user, more), 202);
    return summary.join();
  }

  /** As the administrator sees it. */
  async shown(): Promise<Row> {
    return expectStatus<Row>(await this.#app.get(this.#path), 200);
  }

  /** Its notes, or its system notes (`only_activity`), the oldest first. */
  async notes(activity_filter: 'only_comments' | 'only_activity' = 'only_comments'): Promise<Row[]> {
    const query = { activity_filter, sort: 'asc' };
    return expectStatus<Row[]>(await this.#app.get(`${this.#path}/notes`, { query }), 200);
  }

  /** The texts of its notes, the oldest first. */
  async bodies(activity_filter?: 'only_comments' | 'only_activity'): Promise<unknown[]> {
    return (await this.notes(activity_filter)).map(({ body }) => body);
  }
}
