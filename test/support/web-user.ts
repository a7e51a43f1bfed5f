/** Somebody with a browser: a session cookie, and forms as pages send them. */
import assert from 'node:assert/strict';
import type { InjectOptions, Response } from 'light-my-request';
import type { TestApp } from './app.ts';
import type { TestUser } from './factories.ts';

const TOKEN = /name="authenticity_token" value="([^"]+)"/;

/** A browser of one user, or of a visitor who is not signed in. */
export class WebUser {
  readonly #app: TestApp;
  readonly #cookies = new Map<string, string>();
  #formToken: string | null = null;

  /** A browser that nobody has signed in with. */
  constructor(app: TestApp) {
    this.#app = app;
  }

  /** A browser whose user has signed in by the form, with their token. */
  static async signIn(app: TestApp, { user, token }: TestUser): Promise<WebUser> {
    const browser = new WebUser(app);
    const answer = await browser.post('/users/sign_in', { 'user[login]': user.username, 'user[password]': token });
    assert.equal(answer.statusCode, 302, answer.body.slice(0, 2_000));
    return browser;
  }

  /** Its cookies by name, for a real browser. */
  get cookies(): { name: string; value: string }[] {
    return [...this.#cookies].map(([name, value]) => ({ name, value }));
  }

  /** Opens a page, without following redirects. @param path with its query */
  get(path: string): Promise<Response> {
    return this.#send('GET', path);
  }

  /** Text of a page that is there. @throws AssertionError if the status is not 200 */
  async page(path: string): Promise<string> {
    const answer = await this.get(path);
    assert.equal(answer.statusCode, 200, `${path}: ${answer.body.slice(0, 2_000)}`);
    return answer.body;
  }

  /** Sends a form with the token of this browser, or another one, or none (null). */
  async post(path: string, fields: Readonly<Record<string, string>>, token?: string | null): Promise<Response> {
    const own = token === undefined ? await this.#tokenOfForms() : token;
    const form = new URLSearchParams({ ...fields, ...(own === null ? {} : { authenticity_token: own }) });
    return this.#send('POST', path, form.toString());
  }

  async #tokenOfForms(): Promise<string> {
    if (this.#formToken !== null) return this.#formToken;
    const isSignedIn = this.#cookies.has('stithy_session');
    const { body } = await this.get(isSignedIn ? '/help' : '/users/sign_in');
    const [, token] = TOKEN.exec(body) ?? [];
    assert.ok(token !== undefined, 'There is no form with a token.');
    this.#formToken = token;
    return token;
  }

  async #send(method: 'GET' | 'POST', url: string, form?: string): Promise<Response> {
    const options: InjectOptions = {
      ...{ method, url },
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...(this.#cookies.size === 0
          ? {}
          : { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { payload: form }),
    };
    const response = await this.#app.instance.server.app.inject(options);
    for (const { name, value } of response.cookies) {
      if (name === 'stithy_session') this.#formToken = null;
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
