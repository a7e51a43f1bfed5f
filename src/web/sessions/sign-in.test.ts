import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { ownPath } from '../core/return-to.ts';

const PASSWORD = 'a long enough secret 17';
const DAY_MS = 86_400_000;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock });
});
after(() => app.close());

/** A browser: it keeps cookies, and finds the token of a page's forms. */
class Browser {
  readonly cookies = new Map<string, string>();
  headers: Record<string, string> = {};

  async send(method: 'GET' | 'POST', url: string, fields?: Record<string, string>) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await app.instance.server.app.inject({
      method,
      url,
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...this.headers },
      ...(fields === undefined ? {} : { payload: new URLSearchParams(fields).toString() }),
      ...(fields === undefined
        ? {}
        : {
            headers: {
              accept: 'text/html',
              cookie,
              'content-type': 'application/x-www-form-urlencoded',
              ...this.headers,
            },
          }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = String(line).split(';')[0]!.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  async token(url = '/users/sign_in'): Promise<string> {
    const { body } = await this.send('GET', url);
    return /name="authenticity_token" value="([\w-]+)"/.exec(body)![1]!;
  }

  async signIn(login: string, secret: string, more: Record<string, string> = {}) {
    const authenticity_token = await this.token();
    return this.send('POST', '/users/sign_in', {
      authenticity_token,
      'user[login]': login,
      'user[password]': secret,
      ...more,
    });
  }

  /** Whose page it is shown; null for nobody's. */
  async user(): Promise<string | null> {
    const { body } = await this.send('GET', '/help');
    return /<div class="right"><a href="\/([^"]+)">/.exec(body)?.[1]?.replace('users/sign_in', '') || null;
  }
}

let count = 0;
async function makeUser(): Promise<{ id: number; username: string; email: string }> {
  count += 1;
  const username = `person${count}`;
  const email = `${username}@example.com`;
  const json = { username, email, name: `<b>${username}</b>`, password: PASSWORD, skip_confirmation: true };
  const { id } = expectStatus<{ id: number }>(await app.post('/users', { json }), 201);
  return { id, username, email };
}

async function makeToken(id: number, scopes: string[]): Promise<{ id: number; token: string }> {
  return expectStatus(await app.post(`/users/${id}/personal_access_tokens`, { json: { name: 't', scopes } }), 201);
}

test('a password signs in, by name or email, until the user signs out', async () => {
  const { username, email } = await makeUser();
  for (const login of [username, email, username.toUpperCase()]) {
    const browser = new Browser();
    assert.equal(await browser.user(), null);
    const answer = await browser.signIn(login, PASSWORD, { return_to: '/explore?page=1' });
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, '/explore?page=1']);
    const line = [answer.headers['set-cookie'] ?? []].flat().find((each) => String(each).startsWith('stithy_session='));
    assert.match(String(line), /^stithy_session=[A-Za-z0-9]{40}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(await browser.user(), username);
    const cookies = new Map(browser.cookies);
    const authenticity_token = await browser.token('/help');
    assert.equal(
      (await browser.send('POST', '/users/sign_out', { authenticity_token })).headers.location,
      '/users/sign_in',
    );
    assert.equal(await browser.user(), null);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    assert.equal(await browser.user(), null);
  }
});

test('names are escaped, and pages are in no frame and load nothing from elsewhere', async () => {
  const { username } = await makeUser();
  const browser = new Browser();
  await browser.signIn(username, PASSWORD);
  const { body, headers } = await browser.send('GET', '/help');
  assert.match(body, new RegExp(`&lt;b&gt;${username}&lt;/b&gt;`));
  assert.doesNotMatch(body, /<b>|<script/);
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'self' .*frame-ancestors 'none'$/,
  );
  assert.deepEqual([headers['x-frame-options'], headers['cache-control']], ['DENY', 'no-store']);
  const sheet = await browser.send('GET', /href="(\/-\/assets\/[^"]+)"/.exec(body)![1]!);
  assert.deepEqual([sheet.statusCode, sheet.headers['content-type']], [200, 'text/css; charset=utf-8']);
  assert.match(String(sheet.headers['cache-control']), /immutable/);
  assert.equal((await browser.send('GET', '/-/assets/other.css')).statusCode, 404);
});

test('a personal access token is taken in the place of the password; the session ends with it', async () => {
  const { id, username } = await makeUser();
  const api = await makeToken(id, ['api']);
  const browser = new Browser();
  assert.equal((await browser.signIn(username, api.token)).statusCode, 302);
  assert.equal(await browser.user(), username);
  const other = await makeUser();
  assert.equal((await new Browser().signIn(other.username, api.token)).statusCode, 422);
  const reader = await makeToken(id, ['read_api']);
  assert.equal((await new Browser().signIn(username, reader.token)).statusCode, 422);
  const project = await app.make.project();
  const json = { name: 'bot', scopes: ['api'], expires_at: '2026-12-31', access_level: 40 };
  const bot = expectStatus<{ token: string; user_id: number }>(
    await app.post(`/projects/${project.id}/access_tokens`, { json }),
    201,
  );
  const { username: botName } = expectStatus<{ username: string }>(await app.get(`/users/${bot.user_id}`), 200);
  assert.equal((await new Browser().signIn(botName, bot.token)).statusCode, 422);
  expectStatus(await app.delete(`/personal_access_tokens/${api.id}`), 204);
  assert.equal(await browser.user(), null);
});

test('what is wrong is told in the same words whether or not there is such a user', async () => {
  const { id, username } = await makeUser();
  const told = async (login: string, secret: string) => {
    const answer = await new Browser().signIn(login, secret);
    return [answer.statusCode, /role="alert">([^<]+)</.exec(answer.body)?.[1]];
  };
  const wrong = [422, 'The name, the password or the token is wrong.'];
  assert.deepEqual(await told(username, 'wrong'), wrong);
  assert.deepEqual(await told('nobody-of-this-name', PASSWORD), wrong);
  assert.deepEqual(await told('', ''), wrong);
  expectStatus(await app.post(`/users/${id}/block`), 201);
  assert.deepEqual(await told(username, PASSWORD), [422, 'Your account is blocked or waits for approval.']);
  assert.deepEqual(await told(username, 'wrong'), wrong);
});

test('sessions end with the password, with the account, and after the time that is set', async () => {
  const { id, username } = await makeUser();
  const browser = new Browser();
  await browser.signIn(username, PASSWORD);
  expectStatus(await app.put(`/users/${id}`, { json: { password: 'another long secret 23' } }), 200);
  assert.equal(await browser.user(), null);
  await browser.signIn(username, 'another long secret 23');
  assert.equal(await browser.user(), username);
  expectStatus(await app.post(`/users/${id}/block`), 201);
  assert.equal(await browser.user(), null);
  expectStatus(await app.post(`/users/${id}/unblock`), 201);
  assert.equal(await browser.user(), null);
  await browser.signIn(username, 'another long secret 23');
  for (let day = 0; day < 10; day += 1) {
    clock.advance(DAY_MS);
    assert.equal(await browser.user(), username, `day ${day}`);
  }
  clock.advance(7 * DAY_MS);
  assert.equal(await browser.user(), null);
  await browser.signIn(username, 'another long secret 23');
  expectStatus(await app.put('/application/settings', { json: { session_expire_from_init: true } }), 200);
  for (let day = 0; day < 6; day += 1) {
    clock.advance(DAY_MS);
    assert.equal(await browser.user(), username);
  }
  clock.advance(DAY_MS);
  assert.equal(await browser.user(), null);
  expectStatus(await app.put('/application/settings', { json: { session_expire_from_init: false } }), 200);
});

test('forms that no page of this server has made are refused', async () => {
  const { username } = await makeUser();
  const fields = { 'user[login]': username, 'user[password]': PASSWORD };
  const browser = new Browser();
  assert.equal((await browser.send('POST', '/users/sign_in', fields)).statusCode, 403);
  const authenticity_token = await browser.token();
  const foreign = await new Browser().token();
  assert.equal(
    (await browser.send('POST', '/users/sign_in', { ...fields, authenticity_token: foreign })).statusCode,
    403,
  );
  const forged: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of forged) {
    browser.headers = headers;
    assert.equal(
      (await browser.send('POST', '/users/sign_in', { ...fields, authenticity_token })).statusCode,
      403,
      JSON.stringify(headers),
    );
  }
  browser.headers = { 'sec-fetch-site': 'same-origin' };
  assert.equal((await browser.send('POST', '/users/sign_in', { ...fields, authenticity_token })).statusCode, 302);
  // The token of before the sign-in is still that of this browser; another browser's is not.
  assert.equal((await browser.send('POST', '/users/sign_out', { authenticity_token: foreign })).statusCode, 403);
  assert.equal(await browser.user(), username);
});

test('the cookie is no credential of the API, and a made-up one none of pages', async () => {
  const { username } = await makeUser();
  const browser = new Browser();
  browser.cookies.set('stithy_session', 'x'.repeat(40));
  assert.equal(await browser.user(), null);
  await browser.signIn(username, PASSWORD);
  const secret = browser.cookies.get('stithy_session')!;
  assert.notEqual(secret, 'x'.repeat(40));
  assert.equal((await browser.send('GET', '/api/v4/user')).statusCode, 401);
  expectStatus(await app.get('/user', { token: secret }), 401);
});

test('a raw file is downloaded in the session, by whoever may read it', async () => {
  const { id, username } = await makeUser();
  const { token } = await makeToken(id, ['api']);
  const json = { name: 'own', initialize_with_readme: true };
  expectStatus(await app.post('/projects', { token, json }), 201);
  const url = `/${username}/own/-/raw/main/README.md`;
  const [browser, stranger] = [new Browser(), new Browser()];
  await browser.signIn(username, PASSWORD);
  await stranger.signIn((await makeUser()).username, PASSWORD);
  const raw = await browser.send('GET', url);
  assert.deepEqual([raw.statusCode, raw.headers['content-type']], [200, 'text/plain; charset=utf-8']);
  assert.match(String(raw.headers['content-security-policy']), /sandbox/);
  for (const other of [stranger, new Browser()]) assert.equal((await other.send('GET', url)).statusCode, 404);
  const authenticity_token = await browser.token('/help');
  const cookies = new Map(browser.cookies);
  await browser.send('POST', '/users/sign_out', { authenticity_token });
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  assert.equal((await browser.send('GET', url)).statusCode, 404);
});

test('sessions are listed and revoked, each by its own user', async () => {
  const [ann, bob] = [await makeUser(), await makeUser()];
  const [one, two, other] = [new Browser(), new Browser(), new Browser()];
  one.headers = { 'user-agent': '<i>First</i> browser' };
  await one.signIn(ann.username, PASSWORD);
  await two.signIn(ann.username, PASSWORD);
  await other.signIn(bob.username, PASSWORD);
  const path = '/-/user_settings/active_sessions';
  const { body } = await two.send('GET', path);
  assert.match(body, /&lt;i&gt;First&lt;\/i&gt; browser/);
  const [, id] = new RegExp(`action="${path}/(\\d+)"`).exec(body)!;
  const revoke = async (browser: Browser) =>
    browser.send('POST', `${path}/${id}`, { authenticity_token: await browser.token('/help') });
  assert.equal((await revoke(other)).statusCode, 404);
  assert.equal(await one.user(), ann.username);
  assert.equal((await revoke(two)).headers.location, path);
  assert.deepEqual([await one.user(), await two.user()], [null, ann.username]);
  assert.equal((await one.send('GET', path)).headers.location, `/users/sign_in?return_to=${encodeURIComponent(path)}`);
  expectStatus(await app.delete(`/users/${ann.id}`, { query: { hard_delete: true } }), 204);
  await app.drain();
  assert.equal(await two.user(), null);
});

test('nobody is led to another server', () => {
  for (const sent of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/%0d\n//evil',
    'javascript:alert(1)',
    '',
    '/\t/evil.example',
    '/a\\b',
    '/./\u0000',
  ])
    assert.equal(ownPath(sent), '/', sent);
  for (const sent of ['/', '/a/b?c=d#e', '/group/project/-/issues/1#note_2', '/a//b'])
    assert.equal(ownPath(sent), sent);
  assert.equal(ownPath('/..//evil.example'), '/');
  assert.equal(ownPath(undefined), '/');
});

test('behind TLS and below a path, cookies and links are for there', async (t) => {
  const own = await buildTestApp({ settings: { STITHY_EXTERNAL_URL: 'https://code.example/git' } });
  t.after(() => own.close());
  const { headers, body } = await own.instance.server.app.inject({ method: 'GET', url: '/users/sign_in' });
  assert.match(String(headers['set-cookie']), /^stithy_visitor=\w{40}; Path=\/git\/; HttpOnly; SameSite=Lax; Secure$/);
  assert.match(body, /action="\/git\/users\/sign_in"/);
});
