import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { beforeTransaction } from '../../../../test/support/meanwhile.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { assignJob } from './assign-job.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Scene {
  top: Namespace;
  group: Namespace;
  project: Project;
  runner: CiRunner;
}

const change = (method: 'PUT' | 'POST', path: string, json: object) => async () => {
  const response = await app.request(method, path, { json });
  assert.ok([200, 201].includes(response.statusCode), `${path}: ${response.statusCode} ${response.body}`);
};

describe('a job that was found for a runner is not given to it', () => {
  /** By what happens in between; `kind` is whose runner it is. */
  const cases: Record<string, [kind: CiRunner['runner_type'], act: (scene: Scene) => () => Promise<unknown>]> = {
    'that is taken from the project': [
      'project_type',
      ({ project, runner }) =>
        () =>
          app.deps.db
            .deleteFrom('ci_runner_projects')
            .where('runner_id', '=', runner.id)
            .where('project_id', '=', project.id)
            .execute(),
    ],
    'of a group that the project leaves': [
      'group_type',
      ({ project }) => change('PUT', `/projects/${project.id}/transfer`, { namespace: 'root' }),
    ],
    'of a group that the group of the project leaves': [
      'group_type',
      ({ group }) => change('POST', `/groups/${group.id}/transfer`, {}),
    ],
    'of a group, in a project that no longer wants those': [
      'group_type',
      ({ project }) => change('PUT', `/projects/${project.id}`, { group_runners_enabled: false }),
    ],
    'of the server, in a project that no longer wants those': [
      'instance_type',
      ({ project }) => change('PUT', `/projects/${project.id}`, { shared_runners_enabled: false }),
    ],
    'of the server, below a group that no longer lets those in': [
      'instance_type',
      ({ top }) => change('PUT', `/groups/${top.id}`, { shared_runners_setting: 'disabled_and_unoverridable' }),
    ],
    'that is paused': ['project_type', ({ runner }) => change('PUT', `/runners/${runner.id}`, { paused: true })],
    'that takes only jobs with tags from now on': [
      'project_type',
      ({ runner }) => change('PUT', `/runners/${runner.id}`, { run_untagged: false, tag_list: ['a'] }),
    ],
    'that is for protected refs from now on': [
      'project_type',
      ({ runner }) => change('PUT', `/runners/${runner.id}`, { access_level: 'ref_protected' }),
    ],
    'that is removed': [
      'project_type',
      ({ runner }) =>
        async () =>
          expectStatus(await app.delete(`/runners/${runner.id}`), 204),
    ],
  };

  for (const [name, [kind, act]] of Object.entries(cases)) {
    test(name, async () => {
      await app.deps.db.deleteFrom('ci_pending_jobs').execute();
      const top = await app.make.group();
      const group = await app.make.group({ parent: top });
      const project = await app.make.project({ namespace: group });
      await FakeRunner.make(app, {
        runner_type: kind,
        ...(kind === 'project_type' ? { project_id: project.id } : {}),
        ...(kind === 'group_type' ? { group_id: top.id } : {}),
      });
      const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'one', status: 'pending' }] });
      const { db } = app.deps;
      const runner = await db.selectFrom('ci_runners').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
      const asking = { runner, managerId: null, features: {} };
      let happened = false;
      beforeTransaction(app, async () => {
        await act({ top, group, project, runner })();
        happened = true;
      });
      await assert.rejects(assignJob(app.deps, asking), { status: 409 });
      assert.ok(happened);
      const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', jobs.one!.id).executeTakeFirstOrThrow();
      assert.deepEqual([job.status, job.runner_id, job.token_digest], ['pending', null, null]);
    });
  }
});
