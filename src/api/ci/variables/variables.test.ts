import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Variable {
  key: string;
  value: string | null;
  environment_scope: string;
  hidden: boolean;
  masked: boolean;
  message?: string;
  errors?: Record<string, string[]>;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const paths = {
  project: async () => `/projects/${(await app.make.project()).id}/variables`,
  group: async () => `/groups/${(await app.make.group()).id}/variables`,
  instance: async () => '/admin/ci/variables',
};

const make = async (path: string, json: object) => expectStatus<Variable>(await app.post(path, { json }), 201);
async function refused(path: string, json: object, method: 'POST' | 'PUT' = 'POST') {
  return expectStatus<Variable>(await app.request(method, path, { json }), 400);
}

for (const kind of ['project', 'group', 'instance'] as const) {
  describe(`variables of ${kind === 'instance' ? 'the installation' : `a ${kind}`}`, () => {
    test('are made, listed, read, changed and deleted', async () => {
      const path = await paths[kind]();
      const key = `WHOLE_${kind}`;
      const plain = {
        variable_type: 'env_var',
        key,
        value: 'some value',
        protected: false,
        masked: false,
        raw: false,
        description: null,
      };
      const more = kind === 'instance' ? {} : { hidden: false, environment_scope: '*' };
      assert.deepEqual(await make(path, { key: ` ${key} `, value: 'some value' }), { ...plain, ...more });
      assert.deepEqual(expectStatus(await app.get(path), 200), [{ ...plain, ...more }]);
      assert.deepEqual(expectStatus(await app.get(`${path}/${key}`), 200), { ...plain, ...more });
      const changes = {
        value: 'abcd1234',
        protected: true,
        masked: true,
        raw: true,
        variable_type: 'file',
        description: 'Why',
      };
      const changed = expectStatus(await app.put(`${path}/${key}`, { json: changes }), 200);
      assert.deepEqual(changed, { ...plain, ...more, ...changes });
      assert.deepEqual(expectStatus(await app.put(`${path}/${key}`, { json: {} }), 200), changed);
      assert.equal(
        expectStatus<Variable>(await app.put(`${path}/${key}`, { json: { value: '', masked: false } }), 200).value,
        '',
      );
      expectStatus(await app.delete(`${path}/${key}`), 204);
      const gone = expectStatus<Variable>(await app.get(`${path}/${key}`), 404);
      const name = { project: 'Variable', group: 'GroupVariable', instance: 'InstanceVariable' }[kind];
      assert.equal(gone.message, `404 ${name} Not Found`);
      expectStatus(await app.put(`${path}/${key}`, { json: { value: 'x' } }), 404);
      expectStatus(await app.delete(`${path}/${key}`), 404);
    });

    test('are refused with what is wrong', async () => {
      const path = await paths[kind]();
      const taken = `TAKEN_${kind}`;
      await make(path, { key: taken, value: '' });
      const errors = async (json: object) => (await refused(path, json)).errors;
      assert.deepEqual(await errors({ key: taken, value: 'x' }), { key: [`(${taken}) has already been taken`] });
      assert.deepEqual(await errors({ key: 'a-b', value: 'x' }), {
        key: ["can contain only letters, digits and '_'."],
      });
      assert.deepEqual(await errors({ key: 'é', value: 'x' }), { key: ["can contain only letters, digits and '_'."] });
      assert.deepEqual(await errors({ key: 'a\nb', value: 'x' }), {
        key: ["can contain only letters, digits and '_'."],
      });
      assert.deepEqual(await errors({ key: 'A'.repeat(256), value: 'x' }), {
        key: ['is too long (maximum is 255 characters)'],
      });
      assert.deepEqual(await errors({ key: 'LONG', value: 'x'.repeat(10_001) }), {
        value: ['The value of the provided variable exceeds the 10000 character limit'],
      });
      for (const value of ['short', 'two words', 'line\nanother', 'dollar$ign', '']) {
        assert.deepEqual(await errors({ key: 'M', value, masked: true }), { value: ['is invalid'] }, value);
      }
      assert.deepEqual(await errors({ key: 'M', value: 'two words', masked: true, raw: true }), {
        value: ['is invalid'],
      });
      assert.deepEqual(await errors({ key: 'D', value: '', description: 'x'.repeat(256) }), {
        description: ['is too long (maximum is 255 characters)'],
      });
      assert.equal((await refused(path, { key: 'A' })).message, 'value is missing');
      assert.equal((await refused(path, { value: 'A' })).message, 'key is missing');
      assert.equal(
        (await refused(path, { key: 'A', value: '', variable_type: 'x' })).message,
        'variable_type does not have a valid value',
      );
      assert.deepEqual((await refused(`${path}/${taken}`, { masked: true }, 'PUT')).errors, { value: ['is invalid'] });
    });

    test('of which one is masked and raw may have any characters without blanks', async () => {
      const path = await paths[kind]();
      assert.equal(
        (await make(path, { key: `RAW_${kind}`, value: 'p$ss!word', masked: true, raw: true })).masked,
        true,
      );
      assert.equal((await make(path, { key: `MASKED_${kind}`, value: 'a_-/+=@:.~9', masked: true })).masked, true);
    });

    test('made at once under one name are made once', async () => {
      const path = await paths[kind]();
      const json = { key: `RACE_${kind}`, value: 'x' };
      const answers = await Promise.all(Array.from({ length: 6 }, () => app.post(path, { json })));
      assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400, 400]);
    });
  });
}

for (const kind of ['project', 'group'] as const) {
  describe(`variables of a ${kind}`, () => {
    test('that are hidden show their value never again', async () => {
      const path = await paths[kind]();
      const made = await make(path, { key: 'H', value: 'topsecret', masked_and_hidden: true });
      assert.deepEqual([made.value, made.hidden, made.masked], [null, true, true]);
      assert.equal(expectStatus<Variable>(await app.get(`${path}/H`), 200).value, null);
      assert.equal(expectStatus<Variable[]>(await app.get(path), 200)[0]?.value, null);
      const cannot = ['The visibility setting cannot be changed for masked and hidden variables.'];
      assert.deepEqual((await refused(`${path}/H`, { masked: false }, 'PUT')).errors, { base: cannot });
      assert.deepEqual((await refused(`${path}/H`, { masked_and_hidden: false }, 'PUT')).errors, { base: cannot });
      assert.equal(
        expectStatus<Variable>(await app.put(`${path}/H`, { json: { value: 'anothersecret' } }), 200).value,
        null,
      );
      assert.deepEqual(
        (await refused(path, { key: 'X', value: 'topsecret', masked_and_hidden: true, masked: false })).errors,
        {
          masked: ['should be true when variable is hidden'],
        },
      );
      assert.deepEqual((await refused(path, { key: 'X', value: 'short', masked_and_hidden: true })).errors, {
        value: ['is invalid'],
      });
      await make(path, { key: 'SEEN', value: 'topsecret', masked: true });
      assert.deepEqual((await refused(`${path}/SEEN`, { masked_and_hidden: true }, 'PUT')).errors, {
        base: ['Only new variables can be set as masked and hidden.'],
      });
    });

    test('of one key are told apart by their environments', async () => {
      const path = await paths[kind]();
      await make(path, { key: 'S', value: 'all' });
      await make(path, { key: 'S', value: 'prod', environment_scope: 'production' });
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const response = expectStatus<Variable>(await app.request(method, `${path}/S`, { query: { value: 'x' } }), 409);
        assert.equal(
          response.message,
          "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
        );
      }
      const query = { 'filter[environment_scope]': 'production' };
      assert.equal(expectStatus<Variable>(await app.get(`${path}/S`, { query }), 200).value, 'prod');
      const json = { value: 'x', filter: { environment_scope: 'production' } };
      assert.equal(expectStatus<Variable>(await app.put(`${path}/S`, { json }), 200).value, 'x');
      const same = await app.put(`${path}/S`, { query, json: { environment_scope: '*' } });
      assert.deepEqual(expectStatus<Variable>(same, 400).errors, { key: ['(S) has already been taken'] });
      expectStatus(await app.get(`${path}/S`, { query: { 'filter[environment_scope]': 'prod*' } }), 404);
      expectStatus(await app.delete(`${path}/S`, { query }), 204);
      assert.equal(expectStatus<Variable>(await app.get(`${path}/S`), 200).value, 'all');
      const words = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
      assert.deepEqual((await refused(path, { key: 'E', value: '', environment_scope: 'a,b' })).errors, {
        environment_scope: [words],
      });
      assert.deepEqual((await refused(path, { key: 'E', value: '', environment_scope: '' })).errors, {
        environment_scope: ["can't be blank", words],
      });
    });

    test('may be files that are longer than other values', async () => {
      const path = await paths[kind]();
      await make(path, { key: 'F', value: 'x'.repeat(60_000), variable_type: 'file' });
      assert.match(
        (await refused(path, { key: 'G', value: 'x'.repeat(524_289), variable_type: 'file' })).message!,
        /524288 character/,
      );
    });
  });
}

test('a file of the installation is bounded', async () => {
  const { errors } = await refused('/admin/ci/variables', {
    key: 'F',
    value: 'x'.repeat(50_001),
    variable_type: 'file',
  });
  assert.deepEqual(errors, { value: ['The value of the provided variable exceeds the 50000 character limit'] });
});

test('more variables than a place may keep are refused', async () => {
  const rows = expectStatus<Variable[]>(await app.get('/admin/ci/variables', { query: { per_page: 100 } }), 200);
  for (let n = rows.length; n < 25; n += 1) await make('/admin/ci/variables', { key: `FILL_${n}`, value: '' });
  const response = await refused('/admin/ci/variables', { key: 'MORE', value: '' });
  assert.deepEqual(response.errors, { base: ['Maximum number of ci instance level variables (25) exceeded'] });
  expectStatus(await app.get('/admin/ci/variables/MORE'), 404);
});

test('the variables of a project are for Maintainers', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}/variables`;
  const statuses: Record<string, number> = {};
  for (const [role, { token }] of Object.entries(people)) statuses[role] = (await app.get(path, { token })).statusCode;
  assert.deepEqual(statuses, {
    guest: 403,
    planner: 403,
    reporter: 403,
    developer: 403,
    maintainer: 200,
    owner: 200,
    stranger: 404,
  });
  expectStatus(await app.get(path, { token: null }), 401);
  const json = { key: 'A', value: 'x' };
  expectStatus(await app.post(path, { token: people.developer.token, json }), 403);
  expectStatus(await app.post(path, { token: people.maintainer.token, json }), 201);
});

test('those of a group are for its owners, those of the server for administrators', async () => {
  const owner = await app.make.user();
  const maintainer = await app.make.user();
  const group = await app.make.group({ owner: owner.user });
  await app.make.member({ group }, maintainer.user, 40);
  expectStatus(await app.get(`/groups/${group.id}/variables`, { token: owner.token }), 200);
  expectStatus(await app.get(`/groups/${group.id}/variables`, { token: maintainer.token }), 403);
  expectStatus(await app.get('/admin/ci/variables', { token: owner.token }), 403);
  expectStatus(await app.get('/admin/ci/variables', { token: null }), 401);
});

test('values are never in the log', async () => {
  const path = await paths.project();
  await make(path, { key: 'L', value: 'never-in-the-log' });
  await app.post(`${path}?key=Q&value=never-in-the-log`);
  assert.ok(!app.logLines.join('').includes('never-in-the-log'));
});
