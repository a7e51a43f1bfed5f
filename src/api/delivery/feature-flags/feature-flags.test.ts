import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import {
  DEFAULT,
  type Flag,
  type FlagScope,
  type FlagStrategy,
  flagProject,
  rollout,
} from '../../../../test/support/feature-flags.ts';

interface Refusal {
  message: string;
  errors?: Record<string, string[]>;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

const setting = () => flagProject(app);
const withoutIds = ({ strategies }: Flag) =>
  strategies.map(({ name, parameters, scopes, user_list }) => ({
    name,
    parameters,
    scopes: scopes.map(({ environment_scope }) => environment_scope),
    list: user_list?.user_xids ?? null,
  }));

describe('a feature flag', () => {
  test('is made with strategies and environments, and shown the same in all places', async () => {
    const { path, create, list } = await setting();
    const { id, iid } = await list();
    const made = await create({
      name: 'new_cart',
      version: 'new_version_flag',
      description: 'The cart',
      strategies: [
        { ...rollout(), scopes: [{ environment_scope: 'production' }, { environment_scope: 'review/*' }] },
        { name: 'svcUserList', parameters: {}, user_list_id: String(id) },
        { name: 'userWithId', parameters: '{"userIds":"ada,bo"}' },
        { name: 'gradualRolloutUserId', parameters: { groupId: 'g', percentage: '0' } },
        { name: 'gitlabUserList', user_list_id: id },
        DEFAULT,
      ],
    });
    const { strategies, ...rest } = made as Flag & Record<string, unknown>;
    assert.deepEqual(rest, {
      name: 'new_cart',
      description: 'The cart',
      active: true,
      version: 'new_version_flag',
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:00.000Z',
      scopes: [],
    });
    assert.deepEqual(withoutIds(made), [
      { ...rollout(), scopes: ['production', 'review/*'], list: null },
      { name: 'svcUserList', parameters: {}, scopes: ['*'], list: 'ada,bo' },
      { name: 'userWithId', parameters: { userIds: 'ada,bo' }, scopes: ['*'], list: null },
      { name: 'gradualRolloutUserId', parameters: { groupId: 'g', percentage: '0' }, scopes: ['*'], list: null },
      { name: 'svcUserList', parameters: {}, scopes: ['*'], list: 'ada,bo' },
      { ...DEFAULT, scopes: ['*'], list: null },
    ]);
    assert.deepEqual(strategies[1]?.user_list, { id, iid, name: 'list ada,bo', user_xids: 'ada,bo' });
    assert.deepEqual(expectStatus(await app.get(`${path}/new_cart`), 200), made);
    assert.deepEqual(expectStatus(await app.get(path), 200), [made]);
  });

  test('is made of little, and as a form', async () => {
    const { path, create } = await setting();
    const small = await create({ name: 'ab' });
    assert.deepEqual([small.active, small.description, small.strategies], [true, null, []]);
    const form =
      'name=by-form&active=false&strategies[][name]=default&strategies[][scopes][][environment_scope]=staging';
    const made = expectStatus<Flag>(await app.post(path, { form }), 201);
    assert.deepEqual([made.active, withoutIds(made)], [false, [{ ...DEFAULT, scopes: ['staging'], list: null }]]);
  });

  test('is listed by its name, and by whether it is active', async () => {
    const { path, create } = await setting();
    for (const [name, active] of [
      ['zz', true],
      ['b-b', false],
      ['aa', true],
    ] as const) {
      await create({ name, active });
    }
    const names = async (query: Record<string, string>) => {
      const response = await app.get(path, { query });
      return expectStatus<Flag[]>(response, 200).map(({ name }) => name);
    };
    assert.deepEqual(await names({}), ['aa', 'b-b', 'zz']);
    assert.deepEqual(await names({ scope: 'enabled' }), ['aa', 'zz']);
    assert.deepEqual(await names({ scope: 'disabled' }), ['b-b']);
    assert.deepEqual(await names({ per_page: '1', page: '2' }), ['b-b']);
    const wrong = expectStatus<Refusal>(await app.get(path, { query: { scope: 'all' } }), 400);
    assert.equal(wrong.message, 'scope does not have a valid value');
  });

  test('is changed in what is given alone, and takes a new name', async () => {
    const { path, create, change } = await setting();
    const made = await create({ name: 'old', description: 'd', strategies: [DEFAULT] });
    assert.deepEqual(await change('old', {}), made);
    const off = await change('old', { active: false });
    assert.deepEqual(off, { ...made, active: false });
    const renamed = await change('old', { name: 'new', description: null });
    assert.deepEqual(renamed, { ...off, name: 'new', description: null });
    expectStatus(await app.get(`${path}/old`), 404);
    assert.equal((await change('new', { name: 'new' })).name, 'new');
    await create({ name: 'other' });
    const taken = expectStatus<Refusal>(await app.put(`${path}/new`, { json: { name: 'other' } }), 400);
    assert.deepEqual(taken, {
      message: 'Name has already been taken',
      errors: { name: ['has already been taken'] },
    });
  });

  test('has strategies and scopes added, changed and removed by their ids', async () => {
    const { path, create, change, list } = await setting();
    const { id } = await list();
    const made = await create({
      name: 'flag',
      strategies: [
        { ...rollout(), scopes: [{ environment_scope: 'a' }, { environment_scope: 'b' }] },
        DEFAULT,
        { name: 'svcUserList', user_list_id: id },
      ],
    });
    const [first, second, third] = made.strategies as [FlagStrategy, FlagStrategy, FlagStrategy];
    const [a, b] = first.scopes as [FlagScope, FlagScope];
    const changed = await change('flag', {
      strategies: [
        {
          id: first.id,
          parameters: rollout({ rollout: '100' }).parameters,
          scopes: [
            { id: a.id, environment_scope: 'b' },
            { id: b.id, environment_scope: 'a' },
            { environment_scope: 'c' },
          ],
        },
        { id: second.id, _destroy: true },
        { id: third.id, name: 'default' },
        { name: 'userWithId', parameters: { userIds: '1' } },
      ],
    });
    assert.deepEqual(withoutIds(changed), [
      { ...rollout({ rollout: '100' }), scopes: ['b', 'a', 'c'], list: null },
      { ...DEFAULT, scopes: ['*'], list: null },
      { name: 'userWithId', parameters: { userIds: '1' }, scopes: ['*'], list: null },
    ]);
    assert.deepEqual(
      changed.strategies.slice(0, 2).map((strategy) => strategy.id),
      [first.id, third.id],
    );
    assert.deepEqual(
      changed.strategies[0]!.scopes.slice(0, 2).map((scope) => scope.id),
      [a.id, b.id],
    );
    const fewer = await change('flag', {
      strategies: [{ id: first.id, scopes: [{ id: a.id, _destroy: '1' }] }],
    });
    assert.deepEqual(withoutIds(fewer)[0]!.scopes, ['a', 'c']);
    assert.deepEqual(fewer.strategies.slice(1), changed.strategies.slice(1));
    assert.deepEqual(expectStatus(await app.get(`${path}/flag`), 200), fewer);
    const none = await change('flag', {
      strategies: fewer.strategies.map((strategy) => ({ id: strategy.id, _destroy: true })),
    });
    assert.deepEqual(none.strategies, []);
  });

  test('is deleted, and shown once more by that', async () => {
    const { path, create } = await setting();
    const made = await create({ name: 'gone', strategies: [DEFAULT] });
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await app.delete(`${path}/gone`, { headers: old }), 412);
    assert.deepEqual(expectStatus(await app.delete(`${path}/gone`), 200), made);
    assert.equal(expectStatus<Refusal>(await app.delete(`${path}/gone`), 404).message, '404 Not Found');
    assert.equal(expectStatus<Refusal>(await app.get(`${path}/gone`), 404).message, '404 Not Found');
    expectStatus(await app.put(`${path}/gone`, { json: { active: true } }), 404);
    for (const table of ['feature_flag_strategies', 'feature_flag_scopes'] as const) {
      const ids = made.strategies.flatMap(({ id, scopes }) =>
        table === 'feature_flag_scopes' ? scopes.map((scope) => scope.id) : [id],
      );
      assert.deepEqual(await app.deps.db.selectFrom(table).select('id').where('id', 'in', ids).execute(), []);
    }
  });
});

test('of two flags of one name that are made at once, one is', async () => {
  const { path } = await setting();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => app.post(path, { json: { name: 'race', strategies: [DEFAULT] } })),
  );
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400, 400]);
  const [flag, ...others] = expectStatus<Flag[]>(await app.get(path), 200);
  assert.deepEqual([flag?.strategies.length, others], [1, []]);
});

test('changes of one flag at once are made one after the other', async () => {
  const { path, create } = await setting();
  await create({ name: 'busy' });
  const strategies = [DEFAULT];
  const answers = await Promise.all(Array.from({ length: 5 }, () => app.put(`${path}/busy`, { json: { strategies } })));
  for (const response of answers) expectStatus(response, 200);
  assert.equal(expectStatus<Flag>(await app.get(`${path}/busy`), 200).strategies.length, 5);
});
