import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figures.ts';
import { type BenchServer, TOKEN } from './server.ts';

const JOBS = 500;
const STAGES = ['build', 'test', 'check', 'deploy', 'report'];
const PUSHES = 12;
const WARM = 3;
const LIMIT_MS = 250;
const PATIENCE_MS = 30_000;

const headers = { 'PRIVATE-TOKEN': TOKEN, 'content-type': 'application/json' };

async function call<T>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${answer.slice(0, 300)}`);
  return JSON.parse(answer) as T;
}

/** 500 jobs in five stages, every second one of them with needs, in the manner of a large project. */
function configuration(): string {
  const lines = [`stages: [${STAGES.join(', ')}]`];
  for (let n = 0; n < JOBS; n += 1) {
    lines.push(
      `job-${n}:`,
      `  stage: ${STAGES[Math.floor((n * STAGES.length) / JOBS)]}`,
      `  variables: {NAME: "job ${n}"}`,
      '  tags: [linux]',
      '  script: [make all, make check]',
      '  rules: [{if: $CI_COMMIT_BRANCH}]',
    );
    if (n >= JOBS / STAGES.length && n % 2 === 0) lines.push(`  needs: [job-${n - JOBS / STAGES.length}]`);
  }
  return lines.join('\n');
}

/** From the answer to a push until its pipeline of 500 jobs stands there, begun. */
export async function pipelines(server: BenchServer): Promise<Figure> {
  const api = `${server.url}/api/v4/projects`;
  const { id } = await call<{ id: number }>('POST', api, { name: `pipelines-${Date.now()}` });
  const commit = (n: number, actions: unknown[]) =>
    call<{ id: string }>('POST', `${api}/${id}/repository/commits`, {
      branch: 'main',
      commit_message: `commit ${n}`,
      actions,
    });
  const took: number[] = [];
  for (let n = 0; n < WARM + PUSHES; n += 1) {
    const file =
      n === 0 ? { file_path: '.gitlab-ci.yml', content: configuration() } : { file_path: `f${n}`, content: '1' };
    const { id: sha } = await commit(n, [{ action: 'create', ...file }]);
    const pushed = performance.now();
    for (;;) {
      const [made] = await call<{ status: string }[]>('GET', `${api}/${id}/pipelines?sha=${sha}`);
      const ms = performance.now() - pushed;
      if (made !== undefined) {
        if (n >= WARM) took.push(ms);
        break;
      }
      if (ms > PATIENCE_MS) throw new Error('the push made no pipeline');
      await sleep(2);
    }
    // What it makes redundant is canceled meanwhile: a push of its own does not wait for that.
    await sleep(300);
  }
  took.sort((a, b) => a - b);
  const middle = took[Math.floor(took.length / 2)]!;
  return {
    name: `a pipeline of ${JOBS} jobs, from the answer to the push until it has begun, p50`,
    measured: `${middle.toFixed(0)} ms (at most ${took.at(-1)!.toFixed(0)} ms)`,
    value: middle,
    limit: LIMIT_MS,
    better: 'less',
  };
}
