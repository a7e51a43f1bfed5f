import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type HookReceiver, receiveHooks } from '../../support/hook-receiver.ts';
import { SmtpReceiver } from '../../support/smtp-receiver.ts';
import { beside } from '../busy-programs.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { until } from '../until.ts';

const OTHERS = 5;
const LINTS = 200;
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
  title: `${OTHERS} busy programs beside the server: no ordinary configuration or text is refused, and all that follows goes on`,
  async run(lab) {
    const database = await lab.newDatabase();
    const hooks = await receiveHooks();
    const mail = await SmtpReceiver.listen();
    const settings = { ...database, STITHY_ALLOW_LOCAL_NETWORK: 'true', STITHY_SMTP_URL: mail.url };
    try {
      await beside(OTHERS, async () => {
        const server = await lab.start(join(lab.folder, 'data'), settings);
        await work(lab, server.url, hooks, mail);
      });
    } finally {
      await hooks.close();
      await mail.close();
    }
  },
};
export default experiment;

async function work(lab: Lab, url: string, hooks: HookReceiver, mail: SmtpReceiver): Promise<void> {
  const api = `${url}/api/v4`;
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
  const hook = { url: hooks.url, push_events: true, pipeline_events: true };
  assert.equal((await ask(`${project}/hooks`, 'POST', hook)).status, 201);
  const push = async (n: number) => {
    const action = n === 0 ? 'create' : 'update';
    const actions = [{ action, file_path: '.gitlab-ci.yml', content: `${content}# ${n}\n` }];
    const commit = { branch: 'main', commit_message: 'x', actions };
    assert.equal((await ask(`${project}/repository/commits`, 'POST', commit)).status, 201);
  };
  // Nothing is compiled yet, and the threads have to begin.
  await push(0);
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
  for (let n = 1; n < PUSHES; n += 1) await push(n);
  let pipelines: { status: string }[] = [];
  while (pipelines.length < PUSHES) {
    pipelines = (await ask(`${project}/pipelines?per_page=100`)).body as unknown as typeof pipelines;
    await pause(100);
  }
  assert.ok(!pipelines.some(({ status }) => status === 'failed'));
  lab.say(`${PUSHES} pushes had their pipelines`);
  const pushes = () => hooks.calls.filter(({ body }) => body.object_kind === 'push').length;
  await until('all pushes are told', async () => pushes() >= PUSHES);
  const ada = {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse 1',
    skip_confirmation: true,
  };
  const user = await ask('/users', 'POST', ada);
  assert.equal(user.status, 201);
  const member = { user_id: user.body.id, access_level: 30 };
  assert.equal((await ask(`${project}/members`, 'POST', member)).status, 201);
  const issue = { title: 'To do', assignee_ids: [user.body.id] };
  assert.equal((await ask(`${project}/issues`, 'POST', issue)).status, 201);
  await until('the assignee is mailed', async () =>
    mail.mails.some(({ to, headers }) => to.includes(ada.email) && headers.subject?.includes('To do')),
  );
  lab.say(`${pushes()} deliveries and ${mail.mails.length} mails came`);
}
