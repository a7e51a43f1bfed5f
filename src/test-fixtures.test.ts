import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestFailed } from './index.ts';
import type { Stithy } from './instance.types.ts';
import { useStithy } from './node-test.ts';
import { stithyFixtures } from './test-fixtures.ts';

const WEB = '/projects/root%2Fweb';
const SEED = {
  projects: [{ path: 'web', namespace: 'root' }],
  faults: [{ match: { path: '/api/v4/version', count: 1 }, act: { status: 503 } }],
};

/** Finds what the seed made and nothing else, and leaves more of everything. */
async function useUp(stithy: Stithy): Promise<void> {
  assert.deepEqual(await stithy.requests(), []);
  const [fault, ...more] = await stithy.faults.list();
  assert.deepEqual([fault?.match, fault?.act, fault?.hits], [SEED.faults[0]?.match, SEED.faults[0]?.act, 0]);
  assert.equal(more.length, 0);
  await assert.rejects(
    stithy.api('GET', '/version'),
    (error) => error instanceof RequestFailed && error.status === 503,
  );
  assert.equal((await stithy.api<{ iid: number }>('POST', `${WEB}/issues`, { title: 'Mine' })).iid, 1);
  await stithy.clock.set({ offset: 86_400, frozen: true });
  await stithy.snapshot('mine');
  await stithy.snapshot('mine').then(
    () => assert.fail('the name is taken'),
    ({ status }) => assert.equal(status, 409),
  );
  await stithy.api('DELETE', '/-/bench/snapshots/mine');
  await stithy.faults.add({ match: {}, act: { drop: 'before' } });
}

const stithy = useStithy({ seed: SEED });
for (const which of ['first', 'second']) {
  test(`the ${which} test with hooks finds what the seed made, faults and records included`, async () => {
    await useUp(stithy);
    assert.equal((await stithy.clock.get()).frozen, true);
  });
}

test('fixtures give each test the same, and stop the server at the end of the worker', async () => {
  const { stithyServer, stithy: own } = stithyFixtures({ seed: SEED });
  const [makeServer, { scope }] = stithyServer;
  assert.equal(scope, 'worker');
  let url = '';
  await makeServer({}, async (server) => {
    url = server.url;
    for (const _test of ['first', 'second']) await own({ stithyServer: server }, useUp);
  });
  await assert.rejects(fetch(url), TypeError);
});
