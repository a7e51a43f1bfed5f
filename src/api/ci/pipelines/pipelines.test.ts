import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { storedText } from '../../../core/stored-secret.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
const NOW = '2026-06-15T12:00:00.000Z';
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const read = async <T = Row[]>(path: string, query: Record<string, string | boolean> = {}, status = 200) =>
  expectStatus<T>(await app.get(path, { query }), status);
const ids = (rows: Row[]) => rows.map(({ id }) => id);

describe('GET /projects/:id/pipelines', () => {
  let project: Project;
  let list: (query?: Record<string, string | boolean>) => Promise<Row[]>;
  before(async () => {
    project = await app.make.project();
    list = (query) => read(`/projects/${project.id}/pipelines`, query);
  });

  test('shows them in short, the newest first, with totals', async () => {
    const first = await makePipeline(app, project, { columns: { name: 'Nightly' } });
    const second = await makePipeline(app, project, { jobs: [{ name: 'a', status: 'success' }] });
    const response = await app.get(`/projects/${project.id}/pipelines`, { query: { per_page: 1 } });
    assert.equal(response.headers['x-total'], '2');
    assert.deepEqual(ids(expectStatus(response, 200)), [second.pipeline.id]);
    const [, row] = await list();
    assert.deepEqual(row, {
      id: first.pipeline.id,
      iid: 1,
      project_id: project.id,
      sha: 'a'.repeat(40),
      ref: 'main',
      status: 'created',
      source: 'push',
      created_at: NOW,
      updated_at: NOW,
      web_url: `${app.deps.externalUrl()}/${project.full_path}/-/pipelines/${first.pipeline.id}`,
      name: 'Nightly',
    });
  });

  test('filters by what is asked for', async () => {
    const of = await app.make.project();
    const { user } = await app.make.user({ username: 'Filterer' });
    const make = async (columns: Row) => (await makePipeline(app, of, { jobs: [], columns })).pipeline.id;
    const a = await make({ status: 'running', ref: 'one', source: 'web', user_id: user.id });
    const b = await make({ status: 'pending', sha: 'b'.repeat(40), name: 'Release' });
    const c = await make({ status: 'failed', yaml_errors: 'jobs config should contain', ref: 'two' });
    const d = await make({
      status: 'success',
      updated_at: '2026-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const child = await make({ status: 'success', source: 'parent_pipeline', parent_id: d });
    const cases: [Record<string, string | boolean>, number[]][] = [
      [{}, [d, c, b, a]],
      [{ sort: 'asc' }, [a, b, c, d]],
      [{ source: 'parent_pipeline' }, [child]],
      [{ source: 'web' }, [a]],
      [{ scope: 'running' }, [a]],
      [{ scope: 'pending' }, [b]],
      [{ scope: 'finished' }, [d, c]],
      [{ status: 'failed' }, [c]],
      [{ status: 'canceled' }, []],
      [{ ref: 'one' }, [a]],
      [{ sha: 'b'.repeat(40) }, [b]],
      [{ yaml_errors: true }, [c]],
      [{ yaml_errors: false }, [d, b, a]],
      [{ username: 'filterer' }, [a]],
      [{ username: 'nobody-of-that-name' }, []],
      [{ name: 'Release' }, [b]],
      [{ updated_before: '2026-02-01' }, [d]],
      [{ updated_after: '2026-02-01', status: 'failed' }, [c]],
      [{ created_before: '2026-02-01' }, [d]],
      [{ created_after: '2026-02-01T00:00:00Z', ref: 'two' }, [c]],
      [{ order_by: 'updated_at', sort: 'asc' }, [d, a, b, c]],
      [{ order_by: 'status', sort: 'asc' }, [c, b, a, d]],
      [{ order_by: 'ref' }, [c, a, d, b]],
      [{ order_by: 'user_id', scope: 'running' }, [a]],
    ];
    for (const [query, expected] of cases) {
      assert.deepEqual(ids(await read(`/projects/${of.id}/pipelines`, query)), expected, JSON.stringify(query));
    }
  });

  test('gives the last of each branch or tag that there is', async () => {
    const of = await app.make.project();
    const git = new ProjectGit(app, of);
    const sha = git.commit('main', { a: '1' });
    git.run(['update-ref', 'refs/heads/other', sha]);
    git.run(['update-ref', 'refs/tags/v1', sha]);
    const make = async (ref: string, columns: Row = {}) =>
      (await makePipeline(app, of, { jobs: [], columns: { ref, sha, ...columns } })).pipeline.id;
    await make('main');
    const main = await make('main');
    const other = await make('other');
    await make('gone');
    const tag = await make('v1', { tag: 1 });
    await make('main', { source: 'parent_pipeline' });
    assert.deepEqual(ids(await read(`/projects/${of.id}/pipelines`, { scope: 'branches' })), [other, main]);
    assert.deepEqual(ids(await read(`/projects/${of.id}/pipelines`, { scope: 'tags' })), [tag]);
    const empty = await app.make.project();
    assert.deepEqual(await read(`/projects/${empty.id}/pipelines`, { scope: 'tags' }), []);
  });

  test('refuses values that there are not', async () => {
    for (const [name, value, error] of [
      ['scope', 'all', 'scope does not have a valid value'],
      ['status', 'done', 'status does not have a valid value'],
      ['source', 'mail', 'source does not have a valid value'],
      ['order_by', 'sha', 'order_by does not have a valid value'],
      ['sort', 'up', 'sort does not have a valid value'],
      ['yaml_errors', 'perhaps', 'yaml_errors is invalid'],
      ['updated_after', 'yesterday', 'updated_after is invalid'],
    ] as const) {
      const body = await read<Row>(`/projects/${project.id}/pipelines`, { [name]: value }, 400);
      assert.deepEqual([body.error, body.message], [error, error]);
    }
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id', () => {
  test('shows all of it', async () => {
    const project = await app.make.project();
    const { user } = await app.make.user({ username: 'starter' });
    const { pipeline } = await makePipeline(app, project, {
      jobs: [
        { name: 'a', status: 'success', columns: { coverage: 80 } },
        { name: 'b', status: 'success', columns: { coverage: 85.5 } },
        { name: 'old', status: 'failed', columns: { coverage: 1, retried: 1 } },
      ],
      columns: {
        status: 'success',
        user_id: user.id,
        before_sha: '0'.repeat(40),
        started_at: '2026-06-15T12:00:03.500Z',
        finished_at: '2026-06-15T12:01:00.000Z',
        duration: 56,
        name: 'Nightly',
        tag: 1,
      },
    });
    const path = `/${project.full_path}/-/pipelines/${pipeline.id}`;
    const body = await read<Row>(`/projects/${project.id}/pipelines/${pipeline.id}`);
    assert.deepEqual(
      { ...body, user: (body.user as Row).username },
      {
        id: pipeline.id,
        iid: 1,
        project_id: project.id,
        sha: 'a'.repeat(40),
        ref: 'main',
        status: 'success',
        source: 'push',
        created_at: NOW,
        updated_at: NOW,
        web_url: `${app.deps.externalUrl()}${path}`,
        before_sha: '0'.repeat(40),
        tag: true,
        yaml_errors: null,
        user: 'starter',
        started_at: '2026-06-15T12:00:03.500Z',
        finished_at: '2026-06-15T12:01:00.000Z',
        committed_at: null,
        duration: 56,
        queued_duration: 3,
        coverage: '82.75',
        detailed_status: {
          icon: 'status_success',
          text: 'Passed',
          label: 'passed',
          group: 'success',
          tooltip: 'passed',
          has_details: true,
          details_path: path,
          illustration: null,
          favicon: '/assets/ci_favicons/favicon_status_success.png',
        },
        name: 'Nightly',
        archived: false,
      },
    );
  });

  test('shows each state as its badge does', async () => {
    const project = await app.make.project();
    const look = async (status: string, warned = false) => {
      const job = warned ? [{ name: 'a', status: 'failed' as const, allowFailure: true }] : [];
      const { pipeline } = await makePipeline(app, project, { jobs: job, columns: { status: status as 'failed' } });
      const body = await read<Row>(`/projects/${project.id}/pipelines/${pipeline.id}`);
      const { icon, text, label, group } = body.detailed_status as Row;
      return [icon, text, label, group];
    };
    assert.deepEqual(await look('running'), ['status_running', 'Running', 'running', 'running']);
    assert.deepEqual(await look('canceling'), ['status_canceled', 'Canceling', 'canceling', 'canceling']);
    assert.deepEqual(await look('manual'), ['status_manual', 'Blocked', 'waiting for manual action', 'manual']);
    assert.deepEqual(await look('scheduled'), ['status_scheduled', 'Delayed', 'waiting for delayed job', 'scheduled']);
    assert.deepEqual(await look('waiting_for_resource'), [
      'status_pending',
      'Waiting',
      'waiting for resource',
      'waiting-for-resource',
    ]);
    assert.deepEqual(await look('success', true), [
      'status_warning',
      'Warning',
      'passed with warnings',
      'success-with-warnings',
    ]);
    assert.deepEqual(await look('failed', true), ['status_failed', 'Failed', 'failed', 'failed']);
  });

  test('is not found in another project, nor by an id that there is not', async () => {
    const project = await app.make.project();
    const other = await app.make.project();
    const { pipeline } = await makePipeline(app, project);
    for (const path of ['', '/variables', '/jobs', '/bridges']) {
      const body = await read<Row>(`/projects/${other.id}/pipelines/${pipeline.id}${path}`, {}, 404);
      assert.equal(body.message, '404 Not found');
      await read(`/projects/${project.id}/pipelines/987654${path}`, {}, 404);
      await read(`/projects/${project.id}/pipelines/99999999999999999999${path}`, {}, 400);
    }
  });
});

describe('GET /projects/:id/pipelines/latest', () => {
  test('gives the last of the last commit, and 403 where there is none', async () => {
    const project = await app.make.project();
    const git = new ProjectGit(app, project);
    const latest = (query: Record<string, string>, status = 200) =>
      read<Row>(`/projects/${project.id}/pipelines/latest`, query, status);
    await latest({}, 403);
    const old = git.commit('main', { a: '1' });
    await latest({}, 403);
    await makePipeline(app, project, { columns: { sha: old } });
    const main = await makePipeline(app, project, { columns: { sha: old } });
    await makePipeline(app, project, { columns: { sha: old, source: 'parent_pipeline' } });
    assert.equal((await latest({})).id, main.pipeline.id);
    const sha = git.commit('work', { b: '2' });
    const work = await makePipeline(app, project, { columns: { sha, ref: 'work' } });
    assert.equal((await latest({ ref: 'work' })).id, work.pipeline.id);
    assert.equal((await latest({ ref: 'main' })).id, main.pipeline.id);
    await latest({ ref: 'no-such-branch' }, 403);
    git.commit('main', { a: '2' });
    await latest({}, 403);
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id/variables', () => {
  test('shows them to maintainers, and to the developer who started it', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { guest, reporter, developer, maintainer, stranger } = await app.make.members(project);
    const { pipeline } = await makePipeline(app, project, { columns: { user_id: maintainer.user.id } });
    const own = await makePipeline(app, project, { columns: { user_id: developer.user.id } });
    const variable = {
      pipeline_id: pipeline.id,
      key: 'TARGET',
      value: storedText<'ci_pipeline_variables.value'>('staging'),
      variable_type: 'env_var',
      raw: 0,
    } as const;
    await app.deps.db
      .insertInto('ci_pipeline_variables')
      .values([variable, { ...variable, key: 'A_FILE', value: storedText('x'), variable_type: 'file', raw: 1 }])
      .execute();
    const at = (id: number) => `/projects/${project.id}/pipelines/${id}/variables`;
    const asked = async (id: number, token: string | null) => (await app.get(at(id), { token })).statusCode;
    assert.deepEqual(await read(at(pipeline.id)), [
      { variable_type: 'file', key: 'A_FILE', value: 'x', raw: true },
      { variable_type: 'env_var', key: 'TARGET', value: 'staging', raw: false },
    ]);
    assert.equal(await asked(pipeline.id, maintainer.token), 200);
    assert.equal(await asked(own.pipeline.id, developer.token), 200);
    for (const { token } of [guest, reporter, developer, stranger]) assert.equal(await asked(pipeline.id, token), 403);
    assert.equal(await asked(pipeline.id, null), 401);
  });
});
