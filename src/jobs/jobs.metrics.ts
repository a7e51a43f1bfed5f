import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { type LaneStats, laneStats } from './stats.ts';

const STATES = ['waiting', 'scheduled', 'held', 'running', 'dead'] as const;
/** Scrapes within so many milliseconds ask the database once. */
const FRESH_MS = 1_000;

/** Adds the numbers of background work to what is measured. While the database is away they stay as they were. */
export function registerJobMetrics(registry: Registry, { db, clock, jobs }: Pick<Deps, 'db' | 'clock' | 'jobs'>): void {
  let asked = Number.NEGATIVE_INFINITY;
  let stats: Promise<LaneStats[]> = Promise.resolve([]);
  const current = (): Promise<LaneStats[]> => {
    if (performance.now() - asked > FRESH_MS) {
      asked = performance.now();
      stats = laneStats(db, clock.now()).catch(() => []);
    }
    return stats;
  };
  const registers = [registry];
  new Gauge({
    name: 'stithy_jobs',
    help: 'Background jobs by lane: waiting (due), scheduled (not due yet), held (behind another one of their key), running, dead (given up).',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      for (const lane of await current()) for (const state of STATES) this.set({ lane: lane.lane, state }, lane[state]);
    },
  });
  new Gauge({
    name: 'stithy_jobs_oldest_seconds',
    help: 'How long the oldest job of a lane has been due without being taken.',
    labelNames: ['lane'],
    registers,
    async collect() {
      for (const { lane, oldest_seconds } of await current()) this.set({ lane }, oldest_seconds);
    },
  });
  new Gauge({
    name: 'stithy_job_runs',
    help: 'Runs of jobs in this process since it began, by lane and how they ended.',
    labelNames: ['lane', 'result'],
    registers,
    collect() {
      for (const [lane, counts] of jobs.counts()) {
        for (const result of ['done', 'failed', 'dead'] as const) this.set({ lane, result }, counts[result]);
      }
    },
  });
}
