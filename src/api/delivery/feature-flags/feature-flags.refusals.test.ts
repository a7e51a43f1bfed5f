import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { DEFAULT, type Flag, flagProject, rollout } from '../../../../test/support/feature-flags.ts';

interface Refusal {
  message: string;
  error?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const setting = () => flagProject(app);

describe('refused is', () => {
  const refusal = async (path: string, json: object, method: 'POST' | 'PUT' = 'POST') =>
    expectStatus<Refusal>(await app.request(method, path, { json }), 400);
  const CHARACTERS =
    "Name can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'";

  test('a name that is none, or is taken', async () => {
    const { path, create } = await setting();
    await create({ name: 'taken' });
    for (const [name, message] of [
      ['taken', 'Name has already been taken'],
      ['a', 'Name is too short (minimum is 2 characters)'],
      [`a${'b'.repeat(63)}`, 'Name is too long (maximum is 63 characters)'],
      ['Ab', CHARACTERS],
      ['1a', CHARACTERS],
      ['a-', CHARACTERS],
      ['a_', CHARACTERS],
      ['a b', CHARACTERS],
      ['', `Name can't be blank, Name is too short (minimum is 2 characters), ${CHARACTERS}`],
    ] as const) {
      assert.equal((await refusal(path, { name })).message, message, name);
    }
    const missing = await refusal(path, {});
    assert.deepEqual([missing.message, missing.error], ['name is missing', 'name is missing']);
    const long = await refusal(path, { name: 'ab', description: 'd'.repeat(256) });
    assert.equal(long.message, 'Description is too long (maximum is 255 characters)');
    assert.equal((await create({ name: `a${'b'.repeat(62)}`, description: 'd'.repeat(255) })).active, true);
  });

  test('a flag of the old kind', async () => {
    const { path } = await setting();
    for (const version of ['legacy_flag', 'other']) {
      const { message } = await refusal(path, { name: 'old', version });
      assert.equal(message, 'Version invalid: must be new_version_flag');
    }
  });

  test('a strategy that does not fit', async () => {
    const { path, create, list } = await setting();
    const other = await setting();
    const [own, foreign] = [await list(), await other.list()];
    await create({ name: 'there', strategies: [DEFAULT] });
    const PARAMETERS = 'Strategies parameters';
    const IDS = `${PARAMETERS} userIds must be a string of unique comma separated values each 256 characters or less`;
    const gradual = (percentage: unknown, groupId: unknown = 'g') => ({
      name: 'gradualRolloutUserId',
      parameters: { groupId, percentage },
    });
    const withIds = (userIds: unknown) => ({ name: 'userWithId', parameters: { userIds } });
    const cases: [object, string][] = [
      [{ name: 'odd' }, 'Strategies name strategy name is invalid'],
      [{ name: 'default', parameters: { a: 'b' } }, `${PARAMETERS} parameters are invalid`],
      [{ name: 'default', parameters: [] }, `${PARAMETERS} parameters are invalid`],
      [{ name: 'userWithId' }, `${PARAMETERS} parameters are invalid`],
      [{ name: 'gradualRolloutUserId', parameters: { percentage: '1' } }, `${PARAMETERS} parameters are invalid`],
      [rollout({ more: 'x' }), `${PARAMETERS} parameters are invalid`],
      ...[50, '101', '-1', '1.5', '01', '', ' 5', '5\n', null, '100 '].map((value): [object, string] => [
        gradual(value),
        `${PARAMETERS} percentage must be a string between 0 and 100 inclusive`,
      ]),
      ...['', 'A', 'a1', 'a'.repeat(33), 5].map((group): [object, string] => [
        gradual('5', group),
        `${PARAMETERS} groupId parameter is invalid`,
      ]),
      [rollout({ rollout: 5 }), `${PARAMETERS} rollout must be a string between 0 and 100 inclusive`],
      [
        rollout({ stickiness: 'email' }),
        `${PARAMETERS} stickiness parameter must be default, userId, sessionId, or random`,
      ],
      [rollout({ groupId: 'A' }), `${PARAMETERS} groupId parameter is invalid`],
      ...['a,,b', 'a, b', ' a', 'a,a', ',a', 'a\tb', 'x'.repeat(257), 5].map((ids): [object, string] => [
        withIds(ids),
        IDS,
      ]),
      [{ name: 'svcUserList' }, "User list can't be blank"],
      [{ name: 'svcUserList', user_list_id: foreign.id }, 'User list must belong to the same project'],
      [{ name: 'svcUserList', user_list_id: 2 ** 52 }, 'User list must belong to the same project'],
      [{ name: 'svcUserList', user_list_id: 'x' }, 'User list must belong to the same project'],
      [{ ...DEFAULT, user_list_id: own.id }, 'User list must be blank'],
      [
        { ...DEFAULT, scopes: [{ environment_scope: 'a' }, { environment_scope: 'a' }] },
        'Strategies scopes environment scope has already been taken',
      ],
      [
        { ...DEFAULT, scopes: [{ environment_scope: 'e'.repeat(256) }] },
        'Strategies scopes environment scope is too long (maximum is 255 characters)',
      ],
      [{ ...DEFAULT, scopes: [{ environment_scope: '' }] }, "Strategies scopes environment scope can't be blank"],
    ];
    for (const [strategy, message] of cases) {
      const json = { strategies: [strategy] };
      assert.equal((await refusal(path, { name: 'ab', ...json })).message, message, JSON.stringify(strategy));
      assert.equal((await refusal(`${path}/there`, json, 'PUT')).message, message, JSON.stringify(strategy));
    }
    for (const [json, message] of [
      [{ strategies: [{}] }, 'strategies[0][name] is missing'],
      [{ strategies: 'x' }, 'strategies is invalid'],
      [{ strategies: [{ ...DEFAULT, parameters: '{' }] }, 'strategies[0][parameters] is invalid'],
      [{ strategies: [{ ...DEFAULT, scopes: [{}] }] }, 'strategies[0][scopes][0][environment_scope] is missing'],
    ] as const) {
      assert.equal((await refusal(path, { name: 'ab', ...json })).error, message);
      assert.equal((await refusal(`${path}/there`, json, 'PUT')).error, message);
    }
    const flags = expectStatus<Flag[]>(await app.get(path), 200);
    assert.deepEqual(
      flags.map((flag) => [flag.name, flag.strategies.length]),
      [['there', 1]],
    );
    for (const userIds of ['', 'a', 'ä b,c', 'x'.repeat(256)]) {
      await create({ name: `ok${userIds.length}`, strategies: [withIds(userIds)] });
    }
  });

  test('a change of strategies and scopes that are of another flag', async () => {
    const { path, create } = await setting();
    const mine = await create({ name: 'mine', strategies: [DEFAULT] });
    const other = await create({ name: 'other', strategies: [DEFAULT] });
    const [strategy] = other.strategies;
    for (const change of [
      { id: strategy!.id, _destroy: true },
      { id: strategy!.id, name: 'default' },
      { id: mine.strategies[0]!.id, scopes: [{ id: strategy!.scopes[0]!.id, _destroy: true }] },
      { id: 999_999_999, _destroy: true },
    ]) {
      expectStatus(await app.put(`${path}/mine`, { json: { strategies: [change] } }), 404);
    }
    assert.deepEqual(expectStatus(await app.get(`${path}/other`), 200), other);
    assert.deepEqual(expectStatus(await app.get(`${path}/mine`), 200), mine);
  });

  test('what would have no end', async () => {
    const { path, create, change, project } = await setting();
    const many = Array.from({ length: 51 }, () => DEFAULT);
    const { error } = await refusal(path, { name: 'ab', strategies: many });
    assert.equal(error, 'strategies has too many elements (maximum is 50)');
    await create({ name: 'full', strategies: many.slice(0, 50) });
    const more = await refusal(`${path}/full`, { strategies: [DEFAULT] }, 'PUT');
    assert.equal(more.message, 'Maximum number of strategies (50) exceeded');
    const scopes = Array.from({ length: 101 }, (_, n) => ({ environment_scope: `e${n}` }));
    assert.match((await refusal(path, { name: 'ab', strategies: [{ ...DEFAULT, scopes }] })).message, /too many/);
    const made = await create({ name: 'wide', strategies: [{ ...DEFAULT, scopes: scopes.slice(0, 100) }] });
    const wider = { strategies: [{ id: made.strategies[0]!.id, scopes: [{ environment_scope: 'x' }] }] };
    assert.equal(
      (await refusal(`${path}/wide`, wider, 'PUT')).message,
      'Maximum number of scopes of a strategy (100) exceeded',
    );
    const deep = `${'['.repeat(90)}${']'.repeat(90)}`;
    for (const parameters of [deep, JSON.parse(deep) as unknown, '['.repeat(200_000), { userIds: { a: [deep] } }]) {
      assert.match(
        (await refusal(path, { name: 'ab', strategies: [{ name: 'userWithId', parameters }] })).message,
        /invalid|must be/,
      );
    }
    const users = Array.from({ length: 10_000 }, (_, n) => `user-${n}@example.org`).join();
    const large = { name: 'userWithId', parameters: { userIds: users } };
    const shown = await create({ name: 'users', strategies: [large] });
    assert.equal(shown.strategies[0]!.parameters.userIds, users);
    const body = 'x'.repeat(1024);
    expectStatus(
      await app.post(path, { json: { name: 'ab', strategies: Array(50).fill({ name: body.repeat(60) }) } }),
      413,
    );
    // A list counts wherever a strategy has it.
    const { id } = expectStatus<{ id: number }>(
      await app.post(`/projects/${project.id}/feature_flags_user_lists`, { json: { name: 'l', user_xids: users } }),
      201,
    );
    const lists = Array.from({ length: 25 }, () => ({ name: 'svcUserList', user_list_id: id }));
    const long = await refusal(path, { name: 'lists', strategies: lists });
    assert.match(long.message, /^Feature flags of the project are too long together/);
    await create({ name: 'lists', strategies: lists.slice(0, 5) });
    assert.equal((await change('lists', { active: false })).active, false);
  });

  test('the flag after the two hundredth', async () => {
    const { path, project, create } = await setting();
    const now = '2026-06-15T12:00:00.000Z';
    await app.deps.db
      .insertInto('feature_flags')
      .values(
        Array.from({ length: 199 }, (_, n) => ({
          project_id: project.id,
          name: `f${n}`,
          description: null,
          created_at: now,
          updated_at: now,
        })),
      )
      .execute();
    await create({ name: 'last' });
    const { message } = await refusal(path, { name: 'more' });
    assert.equal(message, 'Maximum number of project feature flags (200) exceeded');
  });
});
