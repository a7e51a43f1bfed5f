import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus } from '../../test/support/app.ts';
import { runCommand, runProgram } from '../../test/support/stithy-command.ts';
import { dayAfter } from '../licence/terms.ts';

let folder: string;
let issuer: string;
let publicKey: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-license-'));
  issuer = join(folder, 'issuer.pem');
  publicKey = (await stithy(['issuer', issuer])).stdout.trim();
});
after(() => rm(folder, { recursive: true }));

const inFolder = (settings: Record<string, string>) => ({ STITHY_DATA_DIR: folder, ...settings });
const stithy = (args: string[], settings = {}) => runCommand(['license', ...args], inFolder(settings));

const issue = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await stithy(['issue', '--issuer', issuer, ...args]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
};

test('an issuer is made once, for its owner alone, and its private key is never shown', async () => {
  assert.equal((await stat(issuer)).mode & 0o777, 0o600);
  assert.match(publicKey, /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/);
  assert.equal(await readFile(`${issuer}.pub`, 'utf8'), `${publicKey}\n`);
  const secret = await readFile(issuer, 'utf8');
  const again = await stithy(['issuer', issuer]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /already exists, and keys are never overwritten/);
  assert.equal(await readFile(issuer, 'utf8'), secret);
  const beside = join(folder, 'other.pem');
  await writeFile(`${beside}.pub`, 'mine');
  assert.equal((await stithy(['issuer', beside])).code, 2);
  assert.equal(await readFile(`${beside}.pub`, 'utf8'), 'mine');
  const line = secret.split('\n')[1]!;
  for (const { stdout, stderr } of [
    again,
    await stithy(['show', issuer]),
    await stithy(['show', 'x'], { STITHY_LICENSE_ISSUER: issuer }),
    await stithy(['issue', '--issuer', `${issuer}.pub`, '--plan', 'premium', '--name', 'x']),
  ]) {
    assert.ok(!`${stdout}${stderr}`.includes(line));
  }
});

test('a license that was issued is taken by a server that trusts the issuer, and shown as it was made', async () => {
  const key = await issue(
    ...['--plan', 'ultimate', '--name', 'Ada Example', '--email', 'ada@example.com', '--company', 'Example'],
    ...['--users', '50', '--days', '30', '--add-on', 'GitLab_FileLocks=2', '--previous-users', '40', '--trueup', '3'],
  );
  const app = await buildTestApp({ settings: { STITHY_LICENSE_ISSUER: `${issuer}.pub` } });
  try {
    const added = expectStatus(await app.post('/license', { json: { license: key } }), 201);
    assert.equal(added.plan, 'ultimate');
    assert.equal(added.user_limit, 50);
    assert.equal(added.expires_at, dayAfter(String(added.starts_at), 30));
  } finally {
    await app.close();
  }
  const trusted = { STITHY_LICENSE_ISSUER: publicKey };
  const { stdout } = await stithy(['show', key], trusted);
  assert.match(stdout, /plan +ultimate\nlicensee +Ada Example, ada@example\.com, Example\nusers +50\n/);
  assert.match(stdout, /issuer +signed by the issuer/);
  const file = join(folder, 'a.license');
  await writeFile(file, `${key}\n`);
  assert.equal((await stithy(['show', file], trusted)).stdout, stdout);
  assert.equal((await runProgram(['license', 'show', '-'], inFolder(trusted), key)).stdout, stdout);
  const terms = JSON.parse((await stithy(['show', key, '--json'])).stdout);
  assert.equal(terms.block_changes_at, dayAfter(terms.expires_at, 14));
  assert.equal(terms.notify_admins_at, dayAfter(terms.expires_at, -15));
  assert.deepEqual(terms.restrictions, {
    plan: 'ultimate',
    active_user_count: 50,
    add_ons: { GitLab_FileLocks: 2 },
    previous_user_count: 40,
    trueup_quantity: 3,
  });
  assert.match(terms.trust, /STITHY_LICENSE_ISSUER is not set/);
  const other = join(folder, 'another.pem');
  await stithy(['issuer', other]);
  assert.match((await stithy(['show', key], { STITHY_LICENSE_ISSUER: `${other}.pub` })).stdout, /not signed by/);
});

test('a license can begin later, end on a day of its own or never, and say when its plan is lost', async () => {
  const termsOf = async (key: string) => JSON.parse((await stithy(['show', key, '--json'])).stdout);
  const basic = ['--plan', 'premium', '--name', 'x'];
  const never = await termsOf(await issue(...basic, '--expires', 'never'));
  assert.deepEqual([never.expires_at, never.block_changes_at, never.notify_users_at], [null, null, null]);
  const dated = await termsOf(
    await issue(...basic, '--starts', '2030-01-01', '--expires', '2030-02-01', '--blocks', '2030-02-02'),
  );
  assert.deepEqual(
    [dated.starts_at, dated.expires_at, dated.block_changes_at],
    ['2030-01-01', '2030-02-01', '2030-02-02'],
  );
  assert.equal(dated.restrictions.active_user_count, null);
});

test('invalid licenses and arguments are refused with what to change', async () => {
  const basic = ['issue', '--issuer', issuer, '--plan', 'premium', '--name', 'x'];
  await chmod(folder, 0o700);
  for (const [args, says] of [
    [['frobnicate'], /unknown command "stithy license frobnicate"/],
    [['issuer'], /expected exactly one file/],
    [['issuer', join(folder, 'no', 'such')], /cannot be written/],
    [['issue', '--plan', 'premium', '--name', 'x'], /--issuer is missing/],
    [['issue', '--issuer', '/no/such', '--plan', 'premium', '--name', 'x'], /cannot be read/],
    [['issue', '--issuer', issuer, '--plan', 'gold', '--name', 'x'], /plan must be one of starter, premium, ultimate/],
    [['issue', '--issuer', issuer, '--plan', 'premium'], /must have a Name/],
    [[...basic, '--days', '0'], /expires_at must come after starts_at/],
    [[...basic, '--days', '-1'], /--days/],
    [[...basic, '--starts', 'soon'], /--starts must be a day/],
    [[...basic, '--expires', 'soon'], /expires_at must be a day/],
    [[...basic, '--expires', '2030-01-01', '--days', '3'], /--expires and --days are mutually exclusive/],
    [[...basic, '--users', 'many'], /--users must be a number/],
    [[...basic, '--add-on', 'x'], /--add-on must look like/],
    [[...basic, '--colour'], /--colour/],
    [['show'], /expected exactly one license key/],
    [['show', 'dummy'], /The license key is invalid/],
  ] as const) {
    const { code, stdout, stderr } = await stithy([...args]);
    assert.equal(code, 2, stdout);
    assert.match(stderr, says);
  }
  assert.match((await stithy(['--help'])).stdout, /Usage: stithy license issuer/);
});
