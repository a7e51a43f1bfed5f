/** gitlab-runner with its shell executor, unmodified, runs pipelines of the server: `run.ts` gives it the program. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { address, api, folder, must, runTests, token, url } from './support.ts';

const [program = 'gitlab-runner'] = process.argv.slice(2);
const WAIT_MS = 600_000;

interface Project {
  id: number;
  path_with_namespace: string;
  runners_token: string;
}
interface Pipeline {
  id: number;
  status: string;
}
interface Job {
  id: number;
  name: string;
  stage: string;
  status: string;
  failure_reason?: string;
  allow_failure: boolean;
  coverage: number | null;
  artifacts: { file_type: string; size: number }[];
}

const CONFIGURATION = `
stages: [build, test, deploy]
default:
  tags: [shell]
variables:
  GREETING: good morning

build:
  stage: build
  cache:
    key: shared
    paths: [kept/]
  script:
    - mkdir -p out kept
    - echo "$GREETING" > out/greeting.txt
    - echo "$CI_JOB_ID" > kept/from.txt
    - echo "VERSION=1.2.$CI_PIPELINE_IID" > build.env
    - echo "the secret is $SECRET"
    - echo "token $CI_JOB_TOKEN"
  artifacts:
    paths: [out/]
    expire_in: 1 week
    reports:
      dotenv: build.env

needs-build:
  stage: test
  needs: [build]
  coverage: '/Covered: \\d+/'
  cache:
    key: shared
    paths: [kept/]
    policy: pull
  script:
    - test "$(cat out/greeting.txt)" = "good morning"
    - test -s kept/from.txt
    - test "$VERSION" = "1.2.$CI_PIPELINE_IID"
    - test "$(git rev-parse HEAD)" = "$CI_COMMIT_SHA"
    - "echo Covered: 87"
  after_script:
    - echo "after the script of $CI_JOB_NAME"

without-artifacts:
  stage: test
  dependencies: []
  script:
    - test ! -e out/greeting.txt

fails:
  stage: test
  retry: 1
  allow_failure:
    exit_codes: 42
  script:
    - exit 42

by-hand:
  stage: deploy
  when: manual
  script:
    - echo "deployed $VERSION by $GITLAB_USER_LOGIN, $WHERE"
    - test -e out/greeting.txt

deploy:
  stage: deploy
  needs:
    - job: build
      artifacts: false
  script:
    - test ! -e out/greeting.txt
`;

const SLOW = `
slow:
  tags: [shell]
  script:
    - echo begun
    - sleep 120
  after_script:
    - echo cleaned up
`;

let runner: ChildProcess | undefined;
let written = '';

/** Waits until `look` finds what it looks for. @throws AssertionError when it does not come */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const result = await look();
    if (result !== undefined) return result;
    assert.ok(Date.now() < end, `${what} did not come. The runner wrote:\n${written.slice(-4_000)}`);
    await sleep(200);
  }
}

async function makeProject(name: string, configuration: string): Promise<Project> {
  const { id } = await api<Project>('POST', '/projects', { name });
  const project = await api<Project>('GET', `/projects/${id}`);
  const dir = join(folder, name);
  mkdirSync(dir);
  const git = (...args: string[]) => must(dir, 'git', args);
  await git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(dir, '.gitlab-ci.yml'), configuration);
  writeFileSync(join(dir, 'README.md'), `# ${name}\n`);
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'Begin');
  if (name === 'pipelines') {
    const secret = { key: 'SECRET', value: 'hunter22-very-secret', masked: true };
    await api('POST', `/projects/${id}/variables`, secret);
  }
  await git('push', '--quiet', address(project.path_with_namespace), 'main');
  return project;
}

const pipelineOf = ({ id }: Project) =>
  until('the pipeline', async () => (await api<Pipeline[]>('GET', `/projects/${id}/pipelines`))[0]);
const jobsOf = ({ id }: Project, pipeline: Pipeline) =>
  api<Job[]>('GET', `/projects/${id}/pipelines/${pipeline.id}/jobs?include_retried=true&per_page=100`);
const traceOf = async ({ id }: Project, job: Job): Promise<string> => {
  const response = await fetch(`${url}/api/v4/projects/${id}/jobs/${job.id}/trace`, {
    headers: { 'private-token': token },
  });
  assert.equal(response.status, 200);
  return response.text();
};
const jobNamed = async (project: Project, pipeline: Pipeline, name: string, fits: (job: Job) => boolean) =>
  until(`the job ${name}`, async () => (await jobsOf(project, pipeline)).find((job) => job.name === name && fits(job)));

/** Starts the program with runners of these tokens. */
function startRunner(tokens: readonly string[]): void {
  const home = join(folder, 'runner');
  mkdirSync(join(home, 'cache'), { recursive: true });
  const sections = tokens.map(
    (each, index) => `
[[runners]]
  name = "runner ${index}"
  url = "${url}"
  token = "${each}"
  executor = "shell"
  shell = "bash"
  builds_dir = "${join(home, `builds${index}`)}"
  cache_dir = "${join(home, 'cache')}"
`,
  );
  writeFileSync(
    join(home, 'config.toml'),
    `concurrent = 2\ncheck_interval = 1\nshutdown_timeout = 5\n${sections.join('')}`,
  );
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  runner = spawn(program, ['run', '--config', join(home, 'config.toml'), '--working-directory', home], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [runner.stdout!, runner.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }
}

async function stopRunner(): Promise<void> {
  if (runner === undefined || runner.exitCode !== null) return;
  runner.kill('SIGTERM');
  await once(runner, 'close');
}

let project: Project;
let pipeline: Pipeline;

await runTests('gitlab-runner', {
  'verifies the token of a runner that was made by the API, and registers with a registration token': async () => {
    const made = await api<{ id: number; token: string }>('POST', '/user/runners', {
      runner_type: 'instance_type',
      tag_list: ['shell', 'strong'],
      run_untagged: false,
    });
    const { id } = await api<Project>('POST', '/projects', { name: 'registered' });
    const { runners_token } = await api<Project>('GET', `/projects/${id}`);
    const config = join(folder, 'registered.toml');
    const common = ['--non-interactive', '--config', config, '--url', url, '--executor', 'shell'];
    await must(folder, program, ['register', ...common, '--token', made.token]);
    const legacy = ['--registration-token', runners_token, '--tag-list', 'a,b', '--description', 'Old ways'];
    await must(folder, program, ['register', ...common, ...legacy]);
    await must(folder, program, ['verify', '--config', config]);
    await must(folder, program, ['unregister', '--config', config, '--name', 'Old ways']);
    startRunner([made.token]);
  },

  'runs a pipeline of three stages': async () => {
    project = await makeProject('pipelines', CONFIGURATION);
    pipeline = await pipelineOf(project);
    const done = await until('the end of the pipeline', async () => {
      const now = await api<Pipeline>('GET', `/projects/${project.id}/pipelines/${pipeline.id}`);
      return ['success', 'failed', 'canceled'].includes(now.status) ? now : undefined;
    });
    const jobs = await jobsOf(project, pipeline);
    const states = Object.fromEntries(jobs.map(({ name, status }) => [name, status]));
    const traces = await Promise.all(jobs.map(async (job) => `== ${job.name}\n${await traceOf(project, job)}`));
    assert.deepEqual(
      states,
      {
        build: 'success',
        'needs-build': 'success',
        'without-artifacts': 'success',
        fails: 'failed',
        'by-hand': 'manual',
        deploy: 'success',
      },
      traces.join('\n'),
    );
    assert.equal(done.status, 'success');
  },

  'tries a failing job again, and allows its exit code': async () => {
    const tries = (await jobsOf(project, pipeline)).filter(({ name }) => name === 'fails');
    assert.equal(tries.length, 2);
    for (const { failure_reason, allow_failure } of tries) {
      assert.deepEqual([failure_reason, allow_failure], ['script_failure', true]);
    }
  },

  'sends logs, without what they must not tell, and coverage': async () => {
    const build = await jobNamed(project, pipeline, 'build', ({ artifacts }) =>
      artifacts.some(({ file_type }) => file_type === 'trace'),
    );
    const log = await traceOf(project, build);
    assert.match(log, /Job succeeded/);
    assert.match(log, /the secret is \[MASKED\]/);
    assert.match(log, /token \[MASKED\]/);
    assert.doesNotMatch(log, /hunter22-very-secret|glcbt-[A-Za-z0-9]/);
    const covered = await jobNamed(project, pipeline, 'needs-build', ({ coverage }) => coverage !== null);
    assert.equal(covered.coverage, 87);
    assert.match(await traceOf(project, covered), /after the script of needs-build/);
  },

  'sends artifacts and reports, which come back through the API': async () => {
    const build = (await jobsOf(project, pipeline)).find(({ name }) => name === 'build')!;
    const kinds = build.artifacts.map(({ file_type }) => file_type);
    for (const kind of ['archive', 'dotenv', 'trace']) assert.ok(kinds.includes(kind), `${kind} of ${kinds}`);
    const path = `/projects/${project.id}/jobs/artifacts/main/raw/out/greeting.txt?job=build`;
    const file = await fetch(`${url}/api/v4${path}`, { headers: { 'private-token': token } });
    assert.equal(file.status, 200, await file.clone().text());
    assert.equal(await file.text(), 'good morning\n');
  },

  'runs a manual job when it is played, with a variable': async () => {
    const manual = (await jobsOf(project, pipeline)).find(({ name }) => name === 'by-hand')!;
    await api('POST', `/projects/${project.id}/jobs/${manual.id}/play`, {
      job_variables_attributes: [{ key: 'WHERE', value: 'here' }],
    });
    const done = await jobNamed(
      project,
      pipeline,
      'by-hand',
      ({ status }) => status === 'success' || status === 'failed',
    );
    const log = await traceOf(project, done);
    assert.equal(done.status, 'success', log);
    assert.match(log, /deployed 1\.2\.1 by root, here/);
  },

  'ends a job that is canceled': async () => {
    const slow = await makeProject('slow', SLOW);
    const running = await pipelineOf(slow);
    const job = await until('the log of the slow job', async () => {
      const [runningJob] = await jobsOf(slow, running);
      return runningJob?.status === 'running' && /begun/.test(await traceOf(slow, runningJob)) ? runningJob : undefined;
    });
    await api('POST', `/projects/${slow.id}/jobs/${job.id}/cancel`);
    await until('the end of the slow job', async () => {
      const now = await api<Job>('GET', `/projects/${slow.id}/jobs/${job.id}`);
      return now.status === 'canceled' ? now : undefined;
    });
    const cancelled = () => /cancel|abort/i.test(written);
    await until('word of the runner', async () => (cancelled() ? true : undefined));
  },

  'is shown as online': async () => {
    const [known] = await api<{ status: string; online: boolean }[]>('GET', '/runners/all?type=instance_type');
    assert.equal(known?.status, 'online');
    await stopRunner();
  },
});
await stopRunner();
