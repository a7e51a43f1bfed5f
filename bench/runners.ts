import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figures.ts';
import { median, timedGit } from './git.ts';
import { seedFolder } from './seed-folder.ts';
import { type BenchServer, startServer, TOKEN } from './server.ts';

const FINISHED = 10_000;
const PENDING = 1_000;
const OTHER_TAGS = 20;
const OWN = 120;
const REQUESTS = 400;
/** A job may send so many pieces in a minute at most. */
const PIECES = 190;
const PIECE = Buffer.from(`${'x'.repeat(99)}\n`.repeat(41)).subarray(0, 4_096);
const IDLE_RUNNERS = 200;
const IDLE_SECONDS = 10;
const CHUNK = 500;

/** Fills a new data folder: a project with finished jobs, jobs that wait with tags of others, and some for the runner. */
function seedJobs(dataDir: string): Promise<void> {
  return seedFolder(dataDir, 'busy', async (deps, project) => {
    const { db } = deps;
    const now = deps.clock.now().toISOString();
    const dir = deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
    const git = async (...args: string[]) => (await timedGit(['--git-dir', dir, ...args])).stdout.trim();
    const tree = await git('hash-object', '-t', 'tree', '-w', '/dev/null');
    const sha = await git(
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.org',
      'commit-tree',
      tree,
      '-m',
      'First',
    );
    const shared = { project_id: project.id, sha, ref: 'main', user_id: 1 } as const;
    const dated = { created_at: now, updated_at: now };
    const pipeline = await db
      .insertInto('pipelines')
      .values({ ...shared, ...dated, iid: 1, source: 'push', status: 'running' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const tagsOf = (n: number) =>
      n < FINISHED ? ['done'] : n < FINISHED + PENDING ? [`other-${n % OTHER_TAGS}`] : ['mine'];
    const all = FINISHED + PENDING + OWN;
    for (let from = 0; from < all; from += CHUNK) {
      const chunk = Array.from({ length: Math.min(CHUNK, all - from) }, (_, index) => from + index);
      const rows = await db
        .insertInto('ci_jobs')
        .values(
          chunk.map((n) => ({
            ...shared,
            ...dated,
            kind: 'build' as const,
            pipeline_id: pipeline.id,
            name: `job ${n}`,
            stage_index: 1,
            status: n < FINISHED ? ('success' as const) : ('pending' as const),
            queued_at: now,
            tag_list: JSON.stringify(tagsOf(n)),
          })),
        )
        .returning(['id', 'name', 'status', 'tag_list'])
        .execute();
      const waiting = rows.filter(({ status }) => status === 'pending');
      if (waiting.length === 0) continue;
      const options = {
        beforeScript: [],
        script: ['true'],
        afterScript: [],
        image: null,
        services: [],
        artifacts: null,
      };
      const others = { cache: [], dependencies: [], crossNeeds: [], hooks: { preGetSourcesScript: [] }, idTokens: {} };
      const none = { secrets: null, release: null, run: null, inputs: null, pages: null, retry: null, timeout: null };
      const config = JSON.stringify({ ...options, ...others, ...none, allowFailureExitCodes: null });
      await db
        .insertInto('ci_job_configs')
        .values(waiting.map(({ id }) => ({ job_id: id, options: config, variables: '[]' })))
        .execute();
      await db
        .insertInto('ci_pending_jobs')
        .values(
          waiting.map(({ id, tag_list }) => ({
            job_id: id,
            project_id: project.id,
            tag_key: (JSON.parse(tag_list) as string[]).join(','),
            created_at: now,
          })),
        )
        .execute();
    }
  });
}

interface Answer {
  ms: number;
  status: number;
  text: string;
  lastUpdate: string | null;
}

async function ask(
  { url }: BenchServer,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answer> {
  const started = performance.now();
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const lastUpdate = response.headers.get('x-gitlab-last-update');
  return { ms: performance.now() - started, status: response.status, text, lastUpdate };
}

async function makeRunner(server: BenchServer, tag: string): Promise<string> {
  const body = JSON.stringify({ runner_type: 'instance_type', tag_list: [tag], run_untagged: false });
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
  const { status, text } = await ask(server, 'POST', '/user/runners', body, headers);
  if (status !== 201) throw new Error(`POST /user/runners: ${status} ${text}`);
  return (JSON.parse(text) as { token: string }).token;
}

const request = (server: BenchServer, token: string, more: object = {}, signal?: AbortSignal) => {
  const body = JSON.stringify({ token, system_id: 's_bench', info: { version: '19.4.0', features: {} }, ...more });
  return ask(
    server,
    'POST',
    '/jobs/request',
    body,
    { 'content-type': 'application/json', 'runner-token': token },
    signal,
  );
};

/** Requests one after the other, of a runner for whom there is nothing and of one that gets a job each time. */
async function requests(server: BenchServer, idle: string, own: string) {
  const nothing: number[] = [];
  const taken: number[] = [];
  const jobs: { id: number; token: string }[] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    const answer = await request(server, idle);
    if (answer.status !== 204) throw new Error(`POST /jobs/request: ${answer.status} ${answer.text}`);
    nothing.push(answer.ms);
  }
  for (let n = 0; n < OWN; n += 1) {
    const answer = await request(server, own);
    if (answer.status !== 201) throw new Error(`POST /jobs/request: ${answer.status} ${answer.text}`);
    taken.push(answer.ms);
    jobs.push(JSON.parse(answer.text) as { id: number; token: string });
  }
  return { nothing: median(nothing.slice(50)), taken: median(taken.slice(20)), jobs };
}

/** Pieces of logs, one after the other, each durable when it is answered. */
async function pieces(server: BenchServer, jobs: readonly { id: number; token: string }[]): Promise<number> {
  const took: number[] = [];
  for (const { id, token } of jobs.slice(0, 3)) {
    for (let n = 0; n < PIECES; n += 1) {
      const start = n * PIECE.length;
      const headers = {
        'job-token': token,
        'content-type': 'text/plain',
        'content-range': `${start}-${start + PIECE.length - 1}`,
      };
      const { ms, status, text } = await ask(server, 'PATCH', `/jobs/${id}/trace`, new Uint8Array(PIECE), headers);
      if (status !== 202) throw new Error(`PATCH /jobs/${id}/trace: ${status} ${text}`);
      took.push(ms);
    }
  }
  return median(took.slice(50));
}

/** Milliseconds of a processor that a process has used so far. */
async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** What it costs a second that runners wait for jobs that do not come. */
async function idling(server: BenchServer): Promise<number> {
  const end = new AbortController();
  const tokens: string[] = [];
  for (let n = 0; n < IDLE_RUNNERS; n += 1) tokens.push(await makeRunner(server, `nothing-${n}`));
  const waits = tokens.map(async (token) => {
    let lastUpdate: string | null = null;
    while (!end.signal.aborted) {
      const more: object = lastUpdate === null ? {} : { last_update: lastUpdate };
      const answer: Answer | undefined = await request(server, token, more, end.signal).catch(() => undefined);
      lastUpdate = answer?.lastUpdate ?? null;
    }
  });
  await sleep(5_000);
  const before = await cpuMs(server.child.pid!);
  await sleep(IDLE_SECONDS * 1_000);
  const used = (await cpuMs(server.child.pid!)) - before;
  end.abort();
  await Promise.all(waits);
  return used / IDLE_SECONDS;
}

/** What runners ask for and send, on a server with 10,000 jobs that are over and 1,000 that wait for others. */
export async function runners(dataDir: string, port: number): Promise<Figure[]> {
  await seedJobs(dataDir);
  const server = await startServer(dataDir, port);
  try {
    const [idle, own] = [await makeRunner(server, 'nobody'), await makeRunner(server, 'mine')];
    const { nothing, taken, jobs } = await requests(server, idle, own);
    const piece = await pieces(server, jobs);
    const waiting = await idling(server);
    const ms = (name: string, value: number, limit: number): Figure => ({
      name,
      measured: `${value.toFixed(2)} ms`,
      value,
      limit,
      better: 'less',
    });
    const among = `${FINISHED.toLocaleString('en')} jobs that are over and ${PENDING.toLocaleString('en')} that wait with other tags`;
    return [
      ms(`\`POST /jobs/request\` without a job, among ${among}, p50`, nothing, 2),
      ms('the same with a job, started and told whole, p50', taken, 25),
      ms('piece of a log of 4 kB, durable, p50', piece, 2),
      ms(`processor time a second while ${IDLE_RUNNERS} runners wait`, waiting, 20),
    ];
  } finally {
    await server.stop();
  }
}
