import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const OTHERS = 5;
const LINTS = 60;
const AT_ONCE = 6;
const PUSHES = 20;
const headers = { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' };

/** An ordinary configuration of some 5 KB. */
const content = [
  'stages: [build, test, deploy]',
  '.base: {before_script: [make prepare], retry: 1, cache: {paths: [.cache]}}',
  ...Array.from({ length: 30 }, (_, place) =>
    [
      `job-${place}:`,
      `  extends: .base`,
      `  stage: ${['build', 'test', 'deploy'][place % 3]}`,
      `  script: [make ${place}, echo "$CI_COMMIT_SHA"]`,
      `  rules: [{if: '$CI_COMMIT_BRANCH =~ /^(main|release-.*)$/'}]`,
    ].join('\n'),
  ),
  '',
].join('\n');

const experiment: Experiment = {
  title: `${OTHERS} busy programs beside the server: no ordinary configuration or text is refused`,
  async run(lab) {
    const server = await lab.start(join(lab.folder, 'data'), await lab.newDatabase());
    const api = `${server.url}/api/v4`;
    const ask = async (path: string, method = 'GET', body?: unknown) => {
      const answer = await fetch(`${api}${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    assert.equal((await ask('/projects', 'POST', { name: 'busy' })).status, 201);
    const project = '/projects/root%2Fbusy';
    const others: ChildProcess[] = [];
    try {
      for (let n = 0; n < OTHERS; n += 1)
        others.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
      const lint = async (place: number) => {
        const { status, body } = await ask(`${project}/ci/lint`, 'POST', { content: `${content}# ${place}\n` });
        assert.deepEqual([status, body.errors], [200, []]);
      };
      for (let place = 0; place < LINTS; place += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, next) => lint(place + next)));
      }
      lab.say(`${LINTS} configurations were looked at`);
      const large = '# Title\n\nMuch *to* say with `code`.\n'.repeat(3_000);
      assert.equal((await ask(`${project}/wikis`, 'POST', { title: 'page', content: large })).status, 201);
      const page = await ask(`${project}/wikis/page?render_html=true`);
      assert.equal(page.status, 200);
      assert.match(String(page.body.content), /^<h1/);
      for (let n = 0; n < PUSHES; n += 1) {
        const action = n === 0 ? 'create' : 'update';
        const actions = [{ action, file_path: '.gitlab-ci.yml', content: `${content}# ${n}\n` }];
        const commit = { branch: 'main', commit_message: 'x', actions };
        assert.equal((await ask(`${project}/repository/commits`, 'POST', commit)).status, 201);
      }
      let pipelines: { status: string }[] = [];
      while (pipelines.length < PUSHES) {
        pipelines = (await ask(`${project}/pipelines?per_page=100`)).body as unknown as typeof pipelines;
        await pause(100);
      }
      assert.ok(!pipelines.some(({ status }) => status === 'failed'));
      lab.say(`${PUSHES} pushes had their pipelines`);
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  },
};
export default experiment;
