import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { enterLicense, makeIssuer } from '../../test/support/licences.ts';
import { effectivePlan } from './effective-plan.ts';

const issuer = makeIssuer();
const DAY = 86_400_000;
const clock = new TestClock();
let app: TestApp;

async function start(plan = 'ultimate'): Promise<TestApp> {
  app = await buildTestApp({ clock, settings: { STITHY_PLAN: plan, STITHY_LICENSE_ISSUER: issuer.publicKey } });
  return app;
}
afterEach(() => app.close());

const plan = () => effectivePlan(app.deps);

test('without a license the plan is that of the settings, with one it is its own, whichever is higher', async () => {
  await start();
  assert.equal(await plan(), 'ultimate');
  const id = await enterLicense(app, issuer, { restrictions: { plan: 'premium' } });
  assert.equal(await plan(), 'premium');
  await app.deps.db.deleteFrom('licenses').where('id', '=', id).execute();
  assert.equal(await plan(), 'ultimate');
  app.deps.config.plan = 'free';
  assert.equal(await plan(), 'free');
  await enterLicense(app, issuer, { restrictions: { plan: 'ultimate' } });
  assert.equal(await plan(), 'ultimate');
});

test('a license begins and ends at midnight UTC, keeps its plan for two weeks, and then leaves the free one', async () => {
  const clock = new TestClock(new Date('2026-06-15T23:59:59.000Z'));
  app = await buildTestApp({ clock, settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
  await enterLicense(app, issuer, { starts_at: '2026-06-16', expires_at: '2026-06-20' });
  assert.equal(await plan(), 'ultimate');
  clock.advance(1_000);
  assert.equal(await plan(), 'premium');
  clock.advance(4 * DAY);
  assert.equal(await plan(), 'premium', 'over, and still in force');
  clock.advance(14 * DAY - 1_000);
  assert.equal(await plan(), 'premium');
  clock.advance(1_000);
  assert.equal(await plan(), 'free');
});

test('a license says itself when its plan is lost, or lasts for ever', async () => {
  await start('free');
  await enterLicense(app, issuer, {
    starts_at: '2026-01-01',
    expires_at: '2026-06-14',
    block_changes_at: '2026-06-15',
  });
  assert.equal(await plan(), 'free');
  await enterLicense(app, issuer, { expires_at: null, restrictions: { plan: 'ultimate' } });
  assert.equal(await plan(), 'ultimate');
  await enterLicense(app, issuer, { expires_at: '9999-12-31' });
  assert.equal(await plan(), 'premium', 'two weeks after it there is no day');
});

test('of several licenses the last one added counts whose time it is', async () => {
  await start();
  await enterLicense(app, issuer, { restrictions: { plan: 'premium' } });
  await enterLicense(app, issuer, { starts_at: '2026-07-01', restrictions: { plan: 'ultimate' } });
  assert.equal(await plan(), 'premium', 'the later one has not begun');
  await enterLicense(app, issuer, {
    starts_at: '2026-01-01',
    expires_at: '2026-06-14',
    restrictions: { plan: 'ultimate' },
  });
  assert.equal(await plan(), 'premium', 'one that is over stands behind one that is not');
  await enterLicense(app, issuer, { restrictions: { plan: 'starter' } });
  assert.equal(await plan(), 'free', 'an old plan below those of today');
});

test('licenses of others count for nothing, and neither do all once nobody is trusted', async () => {
  await start();
  await enterLicense(app, makeIssuer(), { restrictions: { plan: 'premium' } });
  assert.equal(await plan(), 'ultimate');
  await enterLicense(app, issuer, { restrictions: { plan: 'premium' } });
  assert.equal(await plan(), 'premium');
  app.deps.config.licenseIssuer = null;
  assert.equal(await plan(), 'ultimate');
});
