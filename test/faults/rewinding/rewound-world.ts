import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit } from '../../support/git-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sshKeygen } from '../../support/ssh-user.ts';
import { zipOf } from '../../support/zip.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { must } from '../projects.ts';

/** Files of half a megabyte that cannot be packed, in each project, and in the large one: 100 MB in all. */
const FILES = 7;
const LARGE_FILES = 60;
const FILE_BYTES = 512 * 1024;
/** Projects with jobs for a runner, and with webhooks. */
const WITH_JOBS = 5;
const WITH_HOOKS = 8;
/** Share of calls of webhooks that are never answered. */
const UNANSWERED = 0.01;
const LONGEST_ANSWER_MS = 40;

const CONFIGURATION = `
build:
  script: [make]
  artifacts: {paths: [out/]}
test:
  stage: test
  script: [make test]
`;

export interface WorldProject {
  id: number;
  path_with_namespace: string;
  ssh_url_to_repo: string;
  hasJobs: boolean;
}

/** Changes of one sort. */
export class Held {
  #running = 0;
  #mayBegin = true;

  /** Does one, unless none may begin. @returns undefined if none may */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#mayBegin) return undefined;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  /** Lets none begin until `goOn`, and waits until none runs. */
  async hold(): Promise<void> {
    this.#mayBegin = false;
    while (this.#running > 0) await sleep(1);
  }

  goOn(): void {
    this.#mayBegin = true;
  }
}

/** A server with something of everything, and what its clients need. */
export interface World {
  url: string;
  call: Call;
  /** Calls the test bench. */
  bench: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;
  projects: WorldProject[];
  large: WorldProject;
  runnerToken: string;
  /** What git is told to connect with, over SSH. */
  sshCommand: string;
  /** What comes over SSH, and changes of the clock: no fault on order refuses them. */
  ssh: Held;
  clock: Held;
  /** What a job leaves. */
  artifacts: Buffer;
  close(): void;
}

/** Calls the test bench of a server. @throws Error with the answer */
export const benchOf =
  (url: string): World['bench'] =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/-/bench/${path}`, {
      method,
      headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };

/** Seeds a new server with so many projects. @param folder for keys and repositories */
export async function makeWorld({ url }: ServerProcess, folder: string, count: number): Promise<World> {
  const call = apiClient(url, ROOT_TOKEN);
  const hooks = await receiver();
  const key = sshKeygen(folder, 'key', '-t', 'ed25519');
  chmodSync(key, 0o600);
  await must(call, 'POST', '/user/keys', { title: 'key', key: readFileSync(`${key}.pub`, 'utf8') });
  const runner = await must<{ token: string }>(call, 'POST', '/user/runners', { runner_type: 'instance_type' });
  await must(call, 'PUT', '/application/settings', { gitlab_shell_operation_limit: 0 });
  const projects: WorldProject[] = [];
  for (let number = 0; number < count; number += 1) {
    const hasJobs = number > 0 && number <= WITH_JOBS;
    const project = await must<WorldProject>(call, 'POST', '/projects', { name: `seeded-${number}` });
    await fill(url, folder, project, number === 0 ? LARGE_FILES : FILES, hasJobs);
    await discuss(call, project.id);
    if (number < WITH_HOOKS) await addHook(call, project.id, (hooks.address() as AddressInfo).port);
    projects.push({ ...project, hasJobs });
  }
  const options = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
  return {
    url,
    call,
    bench: benchOf(url),
    projects,
    large: projects[0]!,
    runnerToken: runner.token,
    sshCommand: `ssh -F /dev/null -i ${key} ${[...options, 'BatchMode=yes'].map((option) => `-o ${option}`).join(' ')}`,
    ssh: new Held(),
    clock: new Held(),
    artifacts: await zipOf({ 'out/a.bin': randomBytes(50_000) }),
    close: () => {
      hooks.closeAllConnections();
      hooks.close();
    },
  };
}

/** Answers webhooks late, and some of them never. */
async function receiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    if (Math.random() >= UNANSWERED) setTimeout(() => response.end('thanks'), Math.random() * LONGEST_ANSWER_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Pushes files, in one commit. */
async function fill(
  url: string,
  folder: string,
  { path_with_namespace }: WorldProject,
  files: number,
  hasJobs: boolean,
): Promise<void> {
  const tree = join(folder, 'seed');
  const inline = (name: string, text: string) => `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`;
  const input = ['commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 2\nx\n'];
  for (let file = 0; file < files; file += 1)
    input.push(inline(`${file}.txt`, randomBytes(FILE_BYTES / 2).toString('hex')));
  if (hasJobs) input.push(inline('.gitlab-ci.yml', CONFIGURATION));
  await mustGit(folder, ['init', '-q', '--bare', '--initial-branch=main', tree]);
  await mustGit(tree, ['fast-import', '--quiet'], input.join(''));
  await mustGit(tree, ['push', '-q', cloneUrl(url, path_with_namespace, ROOT_TOKEN), 'main', 'main:other']);
  await rm(tree, { recursive: true });
}

async function discuss(call: Call, id: number): Promise<void> {
  const at = `/projects/${id}`;
  for (let issue = 1; issue <= 5; issue += 1) {
    await must(call, 'POST', `${at}/issues`, { title: `Issue ${issue}`, description: 'x'.repeat(200), labels: 'bug' });
    await must(call, 'POST', `${at}/issues/${issue}/notes`, { body: 'A word on it.' });
  }
  const file = { branch: 'topic', start_branch: 'main', content: 'topic', commit_message: 'Topic' };
  await must(call, 'POST', `${at}/repository/files/topic.md`, file);
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
  await must(call, 'POST', `${at}/merge_requests`, request);
  await must(call, 'POST', `${at}/wikis`, { title: 'home', content: 'Hello' });
  await must(call, 'POST', `${at}/snippets`, { title: 's', file_name: 'a', content: 'x', visibility: 'private' });
  await must(call, 'PUT', `${at}/packages/generic/seeded/1.0.0/a.bin`, new URLSearchParams({ a: 'b' }));
}

const addHook = (call: Call, id: number, port: number) =>
  must(call, 'POST', `/projects/${id}/hooks`, {
    ...{ url: `http://127.0.0.1:${port}/`, push_events: true, issues_events: true, note_events: true },
    ...{ merge_requests_events: true, pipeline_events: true, job_events: true, wiki_page_events: true },
  });
