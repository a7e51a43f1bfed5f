import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import { open } from '../src/start.ts';
import { deliverJob } from '../src/webhooks/deliver.ts';
import { storedPayload } from '../src/webhooks/stored-payload.ts';
import type { Figure } from './figures.ts';
import { residentMb, startServer, TOKEN } from './server.ts';

const [LIVING, DEAD, EVENTS] = [45, 5, 2_000];
/** Bytes of one payload, as of a push with a few commits. */
const PAYLOAD = 'x'.repeat(4_000);
const AT_ONCE = 1_000;
const READ_MS = 10;
const IDLE_MS = 10_000;
const HEADERS = { 'PRIVATE-TOKEN': TOKEN };

/** Fills a data folder with hooks of one project and what they have still to be told. */
async function fill(dataDir: string, ports: readonly number[]): Promise<void> {
  const { config } = loadConfig({
    STITHY_DATA_DIR: dataDir,
    STITHY_ROOT_TOKEN: TOKEN,
    STITHY_ALLOW_LOCAL_NETWORK: 'true',
  });
  const { deps, server, close } = await open(config, silentLogger);
  const { app } = server;
  const post = async (url: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url: `/api/v4${url}`, payload, headers: HEADERS });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return answer.json<{ id: number }>();
  };
  const project = await post('/projects', { name: 'told' });
  const hooks: number[] = [];
  for (const port of ports) {
    hooks.push((await post(`/projects/${project.id}/hooks`, { url: `http://127.0.0.1:${port}/`, token: 'sesame' })).id);
  }
  const created_at = new Date().toISOString();
  const events = Array.from({ length: EVENTS }, (_, index) => 1_000_000 + index);
  const payloads = events.map((event_id, number) => ({
    event_id,
    scope: 'hook' as const,
    position: 0,
    trigger_name: 'push',
    header: 'Push Hook',
    branch: 'main',
    payload: storedPayload(deps, {}, JSON.stringify({ number, text: PAYLOAD })),
    created_at,
  }));
  const uuid = '00000000-0000-8000-8000-000000000000';
  const deliveries = events.flatMap((event_id) =>
    hooks.map((hook_id) => ({ hook_id, event_id, event_uuid: uuid, built: 1 as const, created_at })),
  );
  for (let at = 0; at < payloads.length; at += AT_ONCE) {
    await deps.db
      .insertInto('web_hook_payloads')
      .values(payloads.slice(at, at + AT_ONCE))
      .execute();
  }
  for (let at = 0; at < deliveries.length; at += AT_ONCE) {
    await deps.db
      .insertInto('web_hook_deliveries')
      .values(deliveries.slice(at, at + AT_ONCE))
      .execute();
  }
  const runAt = new Date(Date.now() + IDLE_MS + 15_000);
  await deps.jobs.enqueueAll(
    deps.db,
    hooks.map((id) => ({ ...deliverJob(id, project.id), runAt })),
  );
  await app.close();
  await close();
}

interface ReceiverReport {
  got: number;
  disorder: number;
}

async function reportOf(receivers: ChildProcess): Promise<ReceiverReport> {
  receivers.send('told');
  const [answer] = (await once(receivers, 'message')) as [ReceiverReport];
  return answer;
}

/** Reads every few milliseconds until it is told to end. @returns milliseconds that 95 of 100 took at most */
async function reads(url: string, until: () => boolean): Promise<number> {
  const times: number[] = [];
  while (!until()) {
    const started = performance.now();
    const answer = await fetch(url, { headers: HEADERS });
    await answer.arrayBuffer();
    times.push(performance.now() - started);
    await sleep(READ_MS);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.95)] ?? 0;
}

/** What 100,000 deliveries to 50 receivers take, 5 of which never answer. */
export async function webhooks(dataDir: string, port: number): Promise<Figure[]> {
  await rm(dataDir, { recursive: true, force: true });
  const receivers = fork(new URL('./hook-receivers.ts', import.meta.url), [String(LIVING), String(DEAD)]);
  const [{ ports }] = (await once(receivers, 'message')) as [{ ports: number[] }];
  await fill(dataDir, ports);
  process.env.STITHY_ALLOW_LOCAL_NETWORK = 'true';
  const server = await startServer(dataDir, port);
  try {
    const url = `${server.url}/api/v4/projects/1`;
    const memory = () => residentMb(server.child.pid!);
    const began = performance.now();
    const idle = await reads(url, () => performance.now() - began > IDLE_MS);
    const before = await memory();
    let peak = before;
    let count = await reportOf(receivers);
    while (count.got === 0) {
      await sleep(20);
      count = await reportOf(receivers);
    }
    const started = performance.now();
    let done = false;
    const reading = reads(url, () => done);
    while (count.got < LIVING * EVENTS) {
      await sleep(100);
      count = await reportOf(receivers);
      peak = Math.max(peak, await memory());
      if (performance.now() - started > 600_000) break;
    }
    const seconds = (performance.now() - started) / 1_000;
    done = true;
    const busy = await reading;
    const rate = count.got / seconds;
    return [
      {
        name: `webhooks: ${LIVING * EVENTS} calls of ${LIVING} receivers, beside ${DEAD} that never answer`,
        measured: `${rate.toFixed(0)} a second, ${count.disorder} out of order`,
        value: count.disorder > 0 ? 0 : rate,
        limit: 500,
        better: 'more',
      },
      {
        name: 'p95 of reads meanwhile, as a multiple of idle',
        measured: `${(busy / idle).toFixed(2)} (${busy.toFixed(1)} ms, idle ${idle.toFixed(1)} ms)`,
        value: busy / idle,
        limit: 1.5,
        better: 'less',
      },
      {
        name: 'resident memory meanwhile, highest',
        measured: `${peak.toFixed(0)} MB, before ${before.toFixed(0)} MB`,
        value: peak,
        limit: 350,
        better: 'less',
      },
    ];
  } finally {
    await server.stop();
    receivers.disconnect();
    await rm(dataDir, { recursive: true, force: true });
  }
}
