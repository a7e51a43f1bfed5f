import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { licenseKey, makeIssuer, type TermOverrides } from '../../../../test/support/licences.ts';
import { timestamp } from '../../../core/clock.ts';
import { writeLicenseKey } from '../../../licence/licence.key.ts';
import type { LicenseTerms } from '../../../licence/terms.ts';

const issuer = makeIssuer();
const DAY = 86_400_000;
const INVALID = 'The license key is invalid. Make sure it is exactly as you received it from GitLab Inc.';

interface License {
  id: number;
  historical_max: number;
  overage: number;
  active_users: number;
}

let clock: TestClock;
let app: TestApp;
beforeEach(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock, settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
});
afterEach(() => app.close());

const keyOf = (input: TermOverrides = {}) => licenseKey(app, issuer, input);
const add = async (input: TermOverrides = {}) =>
  expectStatus<License>(await app.post('/license', { json: { license: keyOf(input) } }), 201);
const message = async (license: unknown) =>
  expectStatus<{ message: string }>(await app.post('/license', { json: { license } }), 400).message;
const current = async () => expectStatus<License | null>(await app.get('/license'), 200);
async function people(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await app.make.user();
}

test('POST /license adds it with all that it says, and every address shows it', async () => {
  assert.equal(await current(), null);
  assert.deepEqual(expectStatus(await app.get('/licenses'), 200), []);
  const added = await add({
    restrictions: { plan: 'premium', active_user_count: 10, add_ons: { GitLab_FileLocks: 1 } },
  });
  assert.deepEqual(added, {
    id: added.id,
    plan: 'premium',
    created_at: timestamp(clock),
    starts_at: '2026-06-15',
    expires_at: '2027-06-15',
    historical_max: 1,
    maximum_user_count: 1,
    expired: false,
    overage: 0,
    user_limit: 10,
    active_users: 1,
    licensee: { Name: 'Ada Example', Email: 'ada@example.com', Company: 'Example' },
    add_ons: { GitLab_FileLocks: 1 },
  });
  assert.deepEqual(await current(), added);
  assert.deepEqual(expectStatus(await app.get(`/license/${added.id}`), 200), added);
  const { active_users: _, ...basic } = added;
  assert.deepEqual(expectStatus(await app.get('/licenses'), 200), [basic]);
});

test('a license takes effect when it is added, when it begins, when it is lost and when it is removed', async () => {
  const project = await app.make.project();
  const paid = async () => (await app.get(`/projects/${project.id}/approval_rules`)).statusCode;
  app.deps.config.plan = 'free';
  assert.equal(await paid(), 403);
  const { id } = await add();
  assert.equal(await paid(), 200);
  assert.equal((await app.get(`/projects/${project.id}/external_status_checks`)).statusCode, 403);
  expectStatus(await app.delete(`/license/${id}`), 204);
  assert.equal(await paid(), 403);
  await add({ starts_at: '2026-06-16' });
  assert.equal(await current(), null, 'one that is still to begin');
  assert.equal(await paid(), 403);
  clock.advance(DAY);
  assert.equal(await paid(), 200);
  clock.advance(364 * DAY);
  assert.equal(await paid(), 200);
  clock.advance(14 * DAY);
  assert.equal(await paid(), 200);
  clock.advance(DAY);
  assert.equal(await paid(), 403);
  assert.equal(((await current()) as unknown as { expired: boolean }).expired, true);
});

test('keys that cannot be read, or that another has signed, are refused in the words of the platform', async () => {
  assert.equal(await message('dummy'), INVALID);
  assert.equal(await message('x'.repeat(1_000_000)), INVALID);
  assert.equal(await message(licenseKey(app, makeIssuer())), INVALID);
  assert.equal(await message('a\u0000b'), 'license is invalid');
  const bad = { ...(await termsOf()), restrictions: { plan: 'gold' } } as unknown as LicenseTerms;
  assert.match(
    await message(writeLicenseKey(bad, issuer.privateKey)),
    /^The license key is invalid\. Error in its terms: restrictions\.plan/,
  );
  expectStatus<{ error: string }>(await app.post('/license', { json: {} }), 400);
  assert.equal(expectStatus<{ error: string }>(await app.post('/license'), 400).error, 'license is missing');
  assert.equal(await message(''), INVALID);
  app.deps.config.licenseIssuer = null;
  assert.match(await message(keyOf()), /^The license key is invalid\. This server trusts no license issuer/);
  assert.deepEqual(expectStatus(await app.get('/licenses'), 200), []);
});

const termsOf = async () =>
  JSON.parse(Buffer.from(JSON.parse(Buffer.from(keyOf(), 'base64').toString()).data, 'base64').toString());

test('a license that is over is refused; one that ends tomorrow is not', async () => {
  const over = { starts_at: '2026-01-01', expires_at: '2026-06-15' };
  assert.equal(await message(keyOf(over)), 'This license has already expired.');
  await add({ ...over, expires_at: '2026-06-16' });
});

test('a license for fewer users than there are is refused, where a tenth more is let pass', async () => {
  await people(10);
  const forUsers = (active_user_count: number, more: TermOverrides['restrictions'] = {}) =>
    keyOf({ restrictions: { active_user_count, ...more } });
  assert.equal(
    await message(forUsers(9)),
    "This GitLab installation currently has 11 active users, exceeding this license's limit of 9 by 2 users. " +
      'Please add a license for at least 11 users.',
  );
  assert.match(await message(forUsers(1)), /11 active users, exceeding this license's limit of 1 by 10 users\./);
  assert.match(await message(forUsers(0)), /active_user_count must be a positive integer/);
  expectStatus(await app.post('/license', { json: { license: forUsers(10) } }), 201);
  const { overage } = (await current())!;
  assert.equal(overage, 1);
  const ultimate = forUsers(1, { plan: 'ultimate' });
  expectStatus(await app.post('/license', { json: { license: ultimate } }), 201);
});

test('a renewal pays for the users that there were beyond the license before', async () => {
  await add({ restrictions: { active_user_count: 10 } });
  await people(14);
  await app.deps.db.deleteFrom('billable_user_counts').execute();
  const day = { day: '2026-06-14', users: 3, recorded_at: timestamp(clock) };
  await app.deps.db.insertInto('billable_user_counts').values(day).execute();
  await app.deps.jobs.maintain();
  clock.advance(DAY);
  await app.drain();
  clock.advance(DAY);
  assert.equal((await current())!.historical_max, 15);
  const users = app.deps.db.updateTable('users').set({ state: 'blocked' });
  await users.where('id', '>', 12).execute();
  const active = Number((await current())!.active_users);
  const renewal = (trueup_quantity: number | null) =>
    keyOf({ restrictions: { active_user_count: active, previous_user_count: 10, trueup_quantity } });
  assert.equal(await message(renewal(1)), 'You have applied a True-up for 1 user but you need one for 5 users.');
  assert.equal(await message(renewal(null)), 'You have applied a True-up for 0 users but you need one for 5 users.');
  assert.equal(
    await message(keyOf({ restrictions: { active_user_count: active } })),
    'During the year before this license started, this GitLab installation had 15 active users, exceeding this ' +
      `license's limit of ${active} by ${15 - active} users. Please add a license for at least 15 users.`,
  );
  expectStatus(await app.post('/license', { json: { license: renewal(5) } }), 201);
});

test('users are counted every day, the most of a day stays, and a day that was missed is made good', async () => {
  await app.deps.jobs.maintain();
  const { id } = await add({ restrictions: { active_user_count: 2 } });
  await people(3);
  expectStatus(await app.put(`/license/${id}/refresh_billable_users`), 202);
  await app.drain();
  await app.deps.db
    .updateTable('users')
    .set({ state: 'blocked' })
    .where('kind', '=', 'human')
    .where('id', '>', 1)
    .execute();
  const refreshed = expectStatus(await app.put(`/license/${id}/refresh_billable_users`), 202);
  assert.deepEqual(refreshed, { success: true });
  await app.drain();
  const counts = async () => {
    const rows = await app.deps.db.selectFrom('billable_user_counts').selectAll().orderBy('day').execute();
    return rows.map(({ day, users }) => `${day} ${users}`);
  };
  assert.deepEqual(await counts(), ['2026-06-15 4']);
  const shown = (await current())!;
  assert.deepEqual([shown.historical_max, shown.active_users, shown.overage], [4, 1, 0]);
  clock.advance(3 * DAY);
  await app.drain();
  assert.deepEqual(await counts(), ['2026-06-15 4', '2026-06-18 1']);
  clock.advance(365 * DAY);
  const over = (await current())!;
  assert.deepEqual(
    [over.historical_max, over.active_users, over.overage],
    [4, 1, 2],
    'by its most users once it is over',
  );
});

test('a refresh is a job of which one waits at a time', async () => {
  const { id } = await add();
  for (let n = 0; n < 3; n += 1) expectStatus(await app.put(`/license/${id}/refresh_billable_users`), 202);
  const jobs = await app.deps.db.selectFrom('jobs').select('id').where('kind', '=', 'licences.count-users').execute();
  assert.equal(jobs.length, 1);
});

test('GET /license/usage_export.csv says what the license is and what was counted', async () => {
  const license = keyOf({ licensee: { Name: 'x', Email: '+1@example.com', Company: '=HYPERLINK("http://x","y")' } });
  expectStatus(await app.post('/license', { json: { license } }), 201);
  const response = await app.get('/license/usage_export.csv');
  assert.equal(response.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(
    response.body,
    `License Key,${license}\nEmail,'+1@example.com\nLicense Start Date,2026-06-15\nLicense End Date,2027-06-15\n` +
      `Company,"'=HYPERLINK(""http://x"",""y"")"\nGenerated At,2026-06-15 12:00:00\n"",""\n` +
      'Date,Billable User Count\n2026-06-15 12:00:00,1\n',
  );
  await app.deps.db.deleteFrom('licenses').execute();
  const without = await app.get('/license/usage_export.csv');
  assert.match(without.body, /^License Key,\nEmail,\n.*\nDate,Billable User Count\n2026-06-15 12:00:00,1\n$/s);
});

test('licenses are for administrators alone, and unknown ones are not there', async () => {
  const { id } = await add();
  const { token } = await app.make.user();
  for (const [method, path] of [
    ['GET', '/license'],
    ['GET', '/licenses'],
    ['GET', `/license/${id}`],
    ['GET', '/license/usage_export.csv'],
    ['POST', '/license'],
    ['DELETE', `/license/${id}`],
    ['PUT', `/license/${id}/refresh_billable_users`],
  ] as const) {
    expectStatus(await app.request(method, path, { token: null }), 401);
    const refused = await app.request(method, path, { token });
    assert.equal(expectStatus<{ message: string }>(refused, 403).message, '403 Forbidden', `${method} ${path}`);
  }
  for (const unknown of [id + 1, 2 ** 31, '9223372036854775808', '99999999999999999999']) {
    const response = await app.get(`/license/${unknown}`);
    assert.ok([400, 404].includes(response.statusCode), response.body);
    assert.ok([400, 404].includes((await app.delete(`/license/${unknown}`)).statusCode));
    assert.ok([400, 404].includes((await app.put(`/license/${unknown}/refresh_billable_users`)).statusCode));
  }
  assert.equal(expectStatus<{ message: string }>(await app.get('/license/99'), 404).message, '404 Not Found');
  assert.equal(expectStatus<{ message: string }>(await app.delete('/license/99'), 404).message, '404 Not found');
  assert.equal((await app.get('/license/x')).statusCode, 400);
});

test('a license stays listed, and counts for nothing, once its issuer is not trusted any more', async () => {
  await add();
  app.deps.config.licenseIssuer = makeIssuer().publicKey;
  assert.equal(await current(), null);
  assert.equal(expectStatus<unknown[]>(await app.get('/licenses'), 200).length, 1);
});

test('audit events say who added and removed a license, and nothing of its key', async () => {
  const { id } = await add();
  expectStatus(await app.delete(`/license/${id}`), 204);
  expectStatus(await app.delete(`/license/${id}`), 404);
  const rows = await app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('event_name', 'in', ['license_created', 'license_destroyed'])
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ author_id, event_name, details }) => [author_id, event_name, JSON.parse(details).custom_message]),
    [
      [1, 'license_created', `Added license ${id} of the plan premium`],
      [1, 'license_destroyed', `Removed license ${id}`],
    ],
  );
  assert.ok(!JSON.stringify(rows).includes('eyJ'));
});
