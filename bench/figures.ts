import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PATHS } from './data.ts';
import { median, timedGit } from './git.ts';
import { load } from './load.ts';
import { type Bare, type BenchServer, TOKEN } from './server.ts';

export interface Figure {
  name: string;
  measured: string;
  /** Measured value and limit in the same unit, and the direction of improvement. */
  value: number;
  limit: number;
  better: 'more' | 'less';
}

export interface Bench {
  server: BenchServer;
  bare: Bare;
  /** Directory of the project's repository. */
  repository: string;
  /** Folder for clones. */
  scratch: string;
}

const HEADERS = { 'PRIVATE-TOKEN': TOKEN };
const ROUNDS = 5;

async function get(
  url: string,
  headers: Record<string, string> = HEADERS,
): Promise<{ ms: number; body: Buffer; type: string }> {
  const started = performance.now();
  const response = await fetch(url, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body.toString().slice(0, 300)}`);
  return { ms: performance.now() - started, body, type: response.headers.get('content-type') ?? '' };
}

const api = ({ server }: Bench, path: string) => `${server.url}/api/v4/projects/1/repository/${path}`;

/** Address and headers of a request. */
export interface Read {
  url: string;
  headers: Record<string, string>;
}

/** Rate of a read as a share of the bare route's rate with the same response; the two alternate. */
export async function share(bare: Bare, { url, headers }: Read, name: string, limit: number): Promise<Figure> {
  const { body, type } = await get(url, headers);
  await bare.answer(type, body);
  await load(url, headers, { seconds: 1 });
  await load(bare.url, headers, { seconds: 1 });
  const ratios: number[] = [];
  const rates: { ours: number[]; bare: number[]; p95: number[] } = { ours: [], bare: [], p95: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await load(url, headers, { seconds: 1.5 });
    const theirs = await load(bare.url, headers, { seconds: 1.5 });
    ratios.push(ours.rate / theirs.rate);
    rates.ours.push(ours.rate);
    rates.bare.push(theirs.rate);
    rates.p95.push(ours.p95);
  }
  const value = median(ratios) * 100;
  const [ours, theirs, p95] = [rates.ours, rates.bare, rates.p95].map(median) as [number, number, number];
  const measured = `${value.toFixed(0)} % (${ours.toFixed(0)} of ${theirs.toFixed(0)} requests/s, ${body.length} bytes, p95 ${p95.toFixed(1)} ms)`;
  return { name, measured, value, limit, better: 'more' };
}

/** A read of the repository as administrator. */
const read = (bench: Bench, name: string, path: string, limit: number): Promise<Figure> =>
  share(bench.bare, { url: api(bench, path), headers: HEADERS }, name, limit);

/** Hot reads by their name for `npm run bench -- <name>`. */
export const READS: Record<string, (bench: Bench) => Promise<Figure>> = {
  file: (bench) =>
    read(bench, 'file of 8 kB, `GET files/:path`', `files/${encodeURIComponent(PATHS.file)}?ref=main`, 40),
  raw: (bench) =>
    read(bench, 'file of 8 kB, `GET files/:path/raw`', `files/${encodeURIComponent(PATHS.file)}/raw?ref=main`, 50),
  branches: (bench) => read(bench, '20 of 1,000 branches', 'branches?per_page=20', 30),
  'commit-list': (bench) => read(bench, '20 commits', 'commits?per_page=20', 30),
  commit: async (bench) => {
    const commit = (await timedGit(['--git-dir', bench.repository, 'rev-parse', 'main~7'])).stdout.trim();
    return read(bench, 'one commit with stats, warm', `commits/${commit}`, 40);
  },
};

/** The last commit of a rarely changed path, at distinct commits, compared to `git log -1`. */
export async function lastCommit(bench: Bench): Promise<Figure> {
  const ours: number[] = [];
  const gits: number[] = [];
  for (let n = 0; n < 25; n += 1) {
    const branch = `feature-${String(n * 37).padStart(4, '0')}`;
    const oid = (await timedGit(['--git-dir', bench.repository, 'rev-parse', branch])).stdout.trim();
    const url = api(bench, `files/${encodeURIComponent(PATHS.rare)}?ref=${branch}`);
    gits.push((await timedGit(['--git-dir', bench.repository, 'log', '-1', '--format=%H', oid, '--', PATHS.rare])).ms);
    ours.push((await get(url)).ms);
  }
  const value = median(ours) / median(gits);
  const measured = `${value.toFixed(2)} x (${median(ours).toFixed(1)} ms, git log -1 ${median(gits).toFixed(1)} ms)`;
  return {
    name: 'cold `last_commit_id` of a rarely touched path, against `git log -1`',
    measured,
    value,
    limit: 1.3,
    better: 'less',
  };
}

/** Blame of a file of 3,000 lines: cold compared to `git blame`, and warm compared to cold. */
export async function blame(bench: Bench): Promise<Figure[]> {
  const cold: number[] = [];
  const gits: number[] = [];
  const warm: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const branch = `feature-${String(n * 91 + 5).padStart(4, '0')}`;
    const url = api(bench, `files/${encodeURIComponent(PATHS.blame)}/blame?ref=${branch}`);
    gits.push((await timedGit(['--git-dir', bench.repository, 'blame', '--porcelain', branch, '--', PATHS.blame])).ms);
    cold.push((await get(url)).ms);
    for (let k = 0; k < 5; k += 1) warm.push((await get(url)).ms);
  }
  const times = median(cold) / median(gits);
  const faster = median(cold) / median(warm);
  return [
    {
      name: 'cold blame of 3,000 lines, against `git blame`',
      measured: `${times.toFixed(2)} x (${median(cold).toFixed(0)} ms, git ${median(gits).toFixed(0)} ms)`,
      value: times,
      limit: 1.2,
      better: 'less',
    },
    {
      name: 'warm blame of 3,000 lines, against cold',
      measured: `${faster.toFixed(0)} x faster (${median(warm).toFixed(2)} ms)`,
      value: faster,
      limit: 50,
      better: 'more',
    },
  ];
}

/** Sequential one-file commits through the API, all synced to disk. */
export async function commits(bench: Bench): Promise<Figure> {
  const times: number[] = [];
  for (let n = 0; n < 220; n += 1) {
    const started = performance.now();
    const response = await fetch(api(bench, 'commits'), {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({
        branch: 'main',
        commit_message: `Bench ${n}`,
        actions: [
          { action: n === 0 ? 'create' : 'update', file_path: 'bench/one/file.txt', content: `content ${n}\n` },
        ],
      }),
    });
    await response.arrayBuffer();
    if (response.status !== 201) throw new Error(`commit: ${response.status}`);
    if (n >= 20) times.push(performance.now() - started);
  }
  const value = median(times);
  const p95 = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
  return {
    name: 'one-file commit through the API, fsynced, p50',
    measured: `${value.toFixed(1)} ms (p95 ${p95.toFixed(1)} ms)`,
    value,
    limit: 8,
    better: 'less',
  };
}

/** A clone over HTTP compared to a clone from the local path, both through upload-pack. */
export async function clone(bench: Bench): Promise<Figure> {
  const http: number[] = [];
  const path: number[] = [];
  const target = join(bench.scratch, 'clone');
  const remote = `${bench.server.url.replace('://', `://x:${TOKEN}@`)}/root/bench.git`;
  for (let n = 0; n < 5; n += 1) {
    for (const [times, from, extra] of [
      [http, remote, []],
      [path, bench.repository, ['--no-local']],
    ] as const) {
      await rm(target, { recursive: true, force: true });
      times.push((await timedGit(['clone', '--bare', '--quiet', ...extra, from, target])).ms);
    }
  }
  const value = median(http) / median(path);
  return {
    name: 'clone over HTTP, against `git clone --no-local` of the path',
    measured: `${value.toFixed(2)} x (${median(http).toFixed(0)} ms, path ${median(path).toFixed(0)} ms)`,
    value,
    limit: 1.2,
    better: 'less',
  };
}
