import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { protectDefaultBranch } from '../../../repositories/default-branch.ts';

type Row = Record<string, unknown>;
const CONFIG = '.gitlab-ci.yml';
let app: TestApp;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
});

const configure = (yaml: string, branch = 'main') => git.commit(branch, { [CONFIG]: yaml });
const create = (json: Row, token?: string | null) =>
  app.post(`/projects/${project.id}/pipeline`, { json, ...(token === undefined ? {} : { token }) });
const created = async (json: Row) => expectStatus<Row>(await create(json), 201);
const refusal = async (json: Row) => {
  const body = expectStatus<Row>(await create(json), 400);
  return [body.message, (body.errors as Row | undefined)?.base];
};
const read = async <T = Row[]>(path: string) => expectStatus<T>(await app.get(`/projects/${project.id}/${path}`), 200);

describe('POST /projects/:id/pipeline', () => {
  test('makes a pipeline of a branch or tag, with its jobs', async () => {
    const sha = configure('build:\n  script: make\ndeploy:\n  stage: deploy\n  script: ship\n  when: manual\n');
    git.run(['update-ref', 'refs/tags/v1', sha]);
    const body = await created({ ref: 'main' });
    assert.deepEqual(
      [body.sha, body.ref, body.tag, body.source, body.status, (body.user as Row).username],
      [sha, 'main', false, 'api', 'pending', 'root'],
    );
    const jobs = await read(`pipelines/${body.id}/jobs`);
    assert.deepEqual(
      jobs.map(({ name, stage, status, allow_failure }) => [name, stage, status, allow_failure]),
      [
        ['deploy', 'deploy', 'created', true],
        ['build', 'test', 'pending', false],
      ],
    );
    assert.equal((await read<Row>('pipelines/latest')).id, body.id);
    const tagged = await created({ ref: 'v1' });
    assert.deepEqual([tagged.ref, tagged.tag], ['v1', true]);
    assert.equal((await created({ ref: 'refs/heads/main' })).ref, 'main');
  });

  test('takes variables and inputs', async () => {
    configure(
      [
        'spec:\n  inputs:\n    target:\n      default: none\n---\n',
        'ship $[[ inputs.target ]]:\n  script: ship\n  rules:\n    - if: $WANTED == "yes"\n',
      ].join(''),
    );
    const variables = [
      { key: 'WANTED', value: 'yes' },
      { key: 'CERT', value: 'pem', variable_type: 'file' },
    ];
    const { id } = await created({ ref: 'main', variables, inputs: { target: 'live' } });
    assert.deepEqual(
      (await read(`pipelines/${id}/jobs`)).map(({ name }) => name),
      ['ship live'],
    );
    assert.deepEqual(await read(`pipelines/${id}/variables`), [
      { variable_type: 'file', key: 'CERT', value: 'pem', raw: false },
      { variable_type: 'env_var', key: 'WANTED', value: 'yes', raw: false },
    ]);
    const [message] = await refusal({ ref: 'main', variables, inputs: { other: 'x' } });
    assert.match(String(message), /other/);
  });

  test('takes variables as forms send them', async () => {
    configure('a:\n  script: make\n');
    const form = 'ref=main&variables[][key]=A&variables[][value]=1&variables[][key]=B&variables[][value]=2';
    const { id } = expectStatus<Row>(await app.post(`/projects/${project.id}/pipeline`, { form }), 201);
    assert.deepEqual(
      (await read(`pipelines/${id}/variables`)).map(({ key, value }) => `${key}=${value}`),
      ['A=1', 'B=2'],
    );
  });

  test('says what is wrong, and makes nothing', async () => {
    git.commit('main', { a: '1' });
    assert.deepEqual(await refusal({ ref: 'main' }), ['Missing CI config file', ['Missing CI config file']]);
    assert.deepEqual(await refusal({ ref: 'nothing' }), ['Reference not found', ['Reference not found']]);
    configure('a:\n  scripts: make\n', 'broken');
    const [message, base] = await refusal({ ref: 'broken' });
    assert.equal(typeof message, 'string');
    assert.match(String((base as string[])[0]), /config should implement/);
    configure('workflow:\n  rules:\n    - when: never\na:\n  script: make\n', 'never');
    assert.match(String((await refusal({ ref: 'never' }))[0]), /workflow:rules/);
    configure('a:\n  script: make\n  rules:\n    - when: never\n', 'empty');
    assert.match(String((await refusal({ ref: 'empty' }))[0]), /would have been empty/);
    const twice = [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ];
    configure('a:\n  script: make\n', 'good');
    assert.equal((await refusal({ ref: 'good', variables: twice }))[0], 'Duplicate variable name: A');
    assert.deepEqual(await read('pipelines'), []);
  });

  test('refuses parameters that are none', async () => {
    configure('a:\n  script: make\n');
    for (const [json, error] of [
      [{}, 'ref is missing, ref is empty'],
      [{ ref: '' }, 'ref is empty'],
      [{ ref: 'main', variables: 'A=1' }, 'variables is invalid'],
      [{ ref: 'main', variables: [{ value: '1' }] }, 'variables[0][key] is missing'],
      [{ ref: 'main', variables: [{ key: 'A' }] }, 'variables[0][value] is missing'],
      [{ ref: 'main', variables: [{ key: 'A-B', value: '1' }] }, 'variables[0][key] is invalid'],
      [
        { ref: 'main', variables: [{ key: 'A', value: '1', variable_type: 'x' }] },
        'variables[0][variable_type] does not have a valid value',
      ],
      [{ ref: 'main', inputs: 'x' }, 'inputs is invalid'],
    ] as const) {
      assert.equal((await refusal(json))[0], error);
    }
  });
});

describe('who may start pipelines', () => {
  test('developers and those above them', async () => {
    configure('a:\n  script: make\n');
    const people = await app.make.members(project);
    assert.equal((await create({ ref: 'main' }, null)).statusCode, 401);
    for (const name of ['stranger', 'guest', 'planner', 'reporter'] as const) {
      assert.equal((await create({ ref: 'main' }, people[name].token)).statusCode, 403, name);
    }
    for (const name of ['developer', 'maintainer', 'owner'] as const) {
      const body = expectStatus<Row>(await create({ ref: 'main' }, people[name].token), 201);
      assert.equal((body.user as Row).id, people[name].user.id);
    }
  });

  test('on a protected branch those whom its protection lets in', async () => {
    configure('a:\n  script: make\n');
    await protectDefaultBranch(app.deps, app.deps.db, project.id, 'main');
    const { developer, maintainer } = await app.make.members(project);
    const body = expectStatus<Row>(await create({ ref: 'main' }, developer.token), 400);
    assert.match(String(body.message), /^You do not have sufficient permission to run a pipeline on 'main'/);
    assert.equal((await create({ ref: 'main' }, maintainer.token)).statusCode, 201);
  });

  test('with variables those whom the project lets set them', async () => {
    configure('a:\n  script: make\n');
    const { developer, maintainer } = await app.make.members(project);
    const settings = { ci_pipeline_variables_minimum_override_role: 'maintainer' };
    expectStatus(await app.put(`/projects/${project.id}`, { json: settings }), 200);
    const json = { ref: 'main', variables: [{ key: 'A', value: '1' }] };
    const body = expectStatus<Row>(await create(json, developer.token), 400);
    assert.equal(body.message, 'Insufficient permissions to set pipeline variables');
    assert.equal((await create(json, maintainer.token)).statusCode, 201);
    assert.equal((await create({ ref: 'main' }, developer.token)).statusCode, 201);
  });

  test('nobody in an archived project, where builds are off, or who may not see the project', async () => {
    const outsider = await app.make.user();
    for (const [columns, as, status] of [
      [{ archived: 1 as const }, undefined, 403],
      [{ builds_access_level: 'disabled' as const }, undefined, 403],
      [{ visibility: 'private' as const }, outsider.token, 404],
    ] as const) {
      const of = await app.make.project({ columns });
      const options = { json: { ref: 'main' }, ...(as === undefined ? {} : { token: as }) };
      assert.equal((await app.post(`/projects/${of.id}/pipeline`, options)).statusCode, status);
    }
  });
});
