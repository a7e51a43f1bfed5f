import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneUrl, runGitClient } from '../../support/git-client.ts';
import { ROOT_TOKEN } from '../lab.ts';
import type { World, WorldProject } from './rewound-world.ts';

const LONGEST_MS = 20_000;
const POLL_MS = 1_000;

/** Where a client has its clones. */
export interface Spot {
  folder: string;
  number: number;
}

interface Change extends Spot {
  world: World;
  project: WorldProject;
  name: string;
  signal: AbortSignal;
  /** Asks the API; fails when the change is cut off. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

const one = <T>(list: readonly T[]): T => list[randomInt(list.length)]!;

function sender(world: World, signal: AbortSignal): Change['send'] {
  return (method, path, body, headers = {}) => {
    const isRaw = Buffer.isBuffer(body) || body instanceof FormData;
    const json: Record<string, string> = isRaw || body === undefined ? {} : { 'content-type': 'application/json' };
    return fetch(`${world.url}${path.startsWith('/-/') ? '' : '/api/v4'}${path}`, {
      method,
      signal,
      headers: { 'private-token': ROOT_TOKEN, ...json, ...headers },
      ...(body === undefined ? {} : { body: isRaw ? (body as FormData) : JSON.stringify(body) }),
    });
  };
}

/** Changes by one request, each the method, a path below the project unless it begins with `//`, and a body. */
function simple({ name, project }: Change): readonly [string, string, unknown?][] {
  const iid = randomInt(1, 6);
  return [
    ['POST', '/issues', { title: name, labels: 'bug,new' }],
    ['POST', `/issues/${iid}/notes`, { body: `${name} #1` }],
    ['PUT', `/issues/${iid}`, { state_event: 'close', due_date: '2030-02-01' }],
    ['PUT', '/merge_requests/1', { title: name }],
    ['PUT', '/merge_requests/1/merge', {}],
    ['POST', '/labels', { name, color: '#112233' }],
    ['POST', '/milestones', { title: name }],
    ['POST', '/repository/branches', { branch: name, ref: 'main' }],
    ['POST', '/repository/tags', { tag_name: name, ref: 'main' }],
    ['DELETE', '/repository/branches/other'],
    ['POST', '/protected_branches', { name }],
    ['POST', `/repository/files/${name}`, { branch: 'main', content: name, commit_message: name }],
    ['PUT', '/repository/files/topic.md', { branch: 'topic', content: name, commit_message: name }],
    ['POST', '/snippets', { title: name, file_name: 'a', content: name, visibility: 'private' }],
    ['POST', '/wikis', { title: name, content: name }],
    ['POST', '/variables', { key: `K${name}`, value: name }],
    ['POST', '/fork', { name, path: name }],
    ['POST', '/housekeeping'],
    ['POST', '/export'],
    ['PUT', '', { description: name, visibility: one(['private', 'public']) }],
    ['DELETE', ''],
    ['POST', '//projects', { name, initialize_with_readme: true }],
    ['POST', '//groups', { name, path: name }],
    ['POST', '//users', { username: name, name, email: `${name}@example.com`, password: 'correct-horse' }],
    ['POST', '//users/1/personal_access_tokens', { name, scopes: ['api'] }],
    ['PUT', '//application/settings', { default_branch_name: name }],
    ['POST', '//graphql', { query: `{ project(fullPath: "${project.path_with_namespace}") { id name } }` }],
    ...['/repository/commits', '/repository/contributors', '/languages', '/merge_requests/1/changes', '/jobs'].map(
      (path): [string, string] => ['GET', path],
    ),
  ];
}

async function ask(change: Change): Promise<void> {
  const [method, path, body] = one(simple(change));
  const at = path.startsWith('//') ? path.slice(1) : `/projects/${change.project.id}${path}`;
  await (await change.send(method, at, body)).arrayBuffer();
}

/** Moves the clock by a minute or forty days, or lets it run. */
async function moveClock({ world, send }: Change): Promise<void> {
  const changes = [
    ['POST', '/-/bench/clock/advance', { seconds: 60, wait: false }],
    ['POST', '/-/bench/clock/advance', { seconds: 40 * 86_400, wait: false }],
    ['PUT', '/-/bench/clock', { frozen: false }],
  ] as const;
  const [method, path, body] = one(changes);
  await world.clock.run(async () => (await send(method, path, body)).arrayBuffer());
}

async function upload({ send, project, name }: Change): Promise<void> {
  const content = randomBytes(randomInt(1_000, 400_000));
  const type = { 'content-type': 'application/octet-stream' };
  const file = `/projects/${project.id}/packages/generic/${name}/1.0.0/a.bin`;
  await (await send('PUT', file, content, type)).arrayBuffer();
  const form = new FormData();
  form.set('file', new Blob([content]), `${name}.bin`);
  await (await send('POST', `/projects/${project.id}/uploads`, form)).arrayBuffer();
  await (await send('GET', file)).arrayBuffer();
}

/** What a runner does: asks for a job, sends pieces of its log and what it leaves, and ends it. */
async function runJob({ world, send, signal }: Change): Promise<void> {
  const { id } = one(world.projects.filter(({ hasJobs }) => hasJobs));
  await (await send('POST', `/projects/${id}/pipeline`, { ref: 'main' })).arrayBuffer();
  const request = { token: world.runnerToken, system_id: 's', info: { name: 'gitlab-runner', version: '19.4.0' } };
  const poll = sender(world, AbortSignal.any([signal, AbortSignal.timeout(POLL_MS)]));
  const asked = await poll('POST', '/jobs/request', request);
  if (asked.status !== 201) return;
  const job = (await asked.json()) as { id: number; token: string };
  const headers = { 'job-token': job.token };
  const log = Buffer.from('a line of the log\n'.repeat(randomInt(1, 2_000)));
  for (let at = 0; at < log.length; at += 10_000) {
    const piece = log.subarray(at, at + 10_000);
    const range = { 'content-type': 'text/plain', 'content-range': `${at}-${at + piece.length - 1}` };
    const patched = await send('PATCH', `/jobs/${job.id}/trace`, piece, { ...headers, ...range });
    if (patched.status !== 202) return;
  }
  const form = new FormData();
  form.set('artifact_format', 'zip');
  form.set('artifact_type', 'archive');
  form.set('file', new Blob([new Uint8Array(world.artifacts)]), 'artifacts.zip');
  await (await send('POST', `/jobs/${job.id}/artifacts`, form, headers)).arrayBuffer();
  const state = one(['success', 'failed']);
  await (await send('PUT', `/jobs/${job.id}`, { token: job.token, state }, headers)).arrayBuffer();
}

/** Has git do something with a repository, over HTTP or SSH. */
async function connect<T>(
  { world }: Change,
  { path_with_namespace, ssh_url_to_repo }: WorldProject,
  work: (address: string, env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const { ssh, sshCommand, url } = world;
  const overSsh = () => work(ssh_url_to_repo, { GIT_SSH_COMMAND: sshCommand });
  const done = randomInt(2) === 0 ? undefined : await ssh.run(overSsh);
  return done ?? work(cloneUrl(url, path_with_namespace, ROOT_TOKEN), {});
}

/** Clones, and checks what came if it came whole. */
async function clone(change: Change): Promise<void> {
  const { folder, name, project, signal } = change;
  const to = join(folder, `clone-${name}`);
  try {
    const { code } = await connect(change, project, (address, env) =>
      runGitClient(folder, ['clone', '-q', '--bare', address, to], '', env, signal),
    );
    if (code !== 0) return;
    const checked = await runGitClient(to, ['fsck', '--no-dangling'], '', {}, signal);
    if (checked.code !== 0 && !signal.aborted) throw new Error(`a clone is broken: ${checked.stderr}`);
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}

/** Pushes a new commit with a file to a new branch, to `main`, or by force. */
async function push(change: Change): Promise<void> {
  const { folder, number, name, signal, world } = change;
  const project = world.projects[1 + (number % (world.projects.length - 1))]!;
  const tree = join(folder, `tree-${number}`);
  const git = (args: string[], input = '', env = {}) => runGitClient(tree, args, input, env, signal);
  if (!existsSync(join(tree, 'ready'))) {
    await rm(tree, { recursive: true, force: true });
    const { code } = await connect(change, project, (address, env) =>
      runGitClient(folder, ['clone', '-q', '--bare', address, tree], '', env, signal),
    );
    if (code !== 0 || (await git(['branch', '--force', 'seeded', 'main'])).code !== 0) return;
    await writeFile(join(tree, 'ready'), '');
  }
  const content = randomBytes(randomInt(100, 300_000)).toString('base64');
  const file = `M 100644 inline ${name}\ndata ${content.length}\n${content}\n`;
  const head = `commit refs/heads/${name}\ncommitter A <a@example.com> 1700000001 +0000\ndata 2\nx\nfrom refs/heads/seeded\n`;
  // A lock may be left over from one that was cut off.
  if ((await git(['fast-import', '--quiet'], head + file)).code !== 0)
    return await rm(tree, { recursive: true, force: true });
  const targets = [[name], [`${name}:main`], ['--force', `${name}:other`], ['--atomic', `${name}:main`, name]];
  const target = one([...targets, ['--delete', 'other']]);
  await connect(change, project, (address, env) => git(['push', '-q', address, ...target], '', env));
  await git(['update-ref', '-d', `refs/heads/${name}`]);
}

const KINDS = [ask, ask, ask, ask, ask, ask, moveClock, upload, runJob, runJob, clone, push, push] as const;

/**
 * Does something of a random kind that changes the server, as a client of one sort or another; what is cut off fails.
 * @throws Error for a clone that is whole and yet damaged
 */
export async function change(world: World, spot: Spot, cut: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([cut, AbortSignal.timeout(LONGEST_MS)]);
  const name = `n${randomBytes(6).toString('hex')}`;
  const project = one(world.projects.slice(1));
  try {
    await one(KINDS)({ ...spot, world, project, name, signal, send: sender(world, signal) });
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('a clone is broken')) throw error;
  }
}
