import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { type LaneStats, laneStats } from './stats.ts';

const STATES = ['waiting', 'scheduled', 'held', 'running', 'dead'] as const;
/** Scrapes within this many milliseconds share one query. */
const FRESH_MS = 1_000;

/** Registers the metrics of background work. While the database is unavailable they keep their last values. */
export function registerJobMetrics(registry: Registry, { db, clock, jobs }: Pick<Deps, 'db' | 'clock' | 'jobs'>): void {
  let queriedAt = Number.NEGATIVE_INFINITY;
  let stats: Promise<LaneStats[]> = Promise.resolve([]);
  const current = (): Promise<LaneStats[]> => {
    if (performance.now() - queriedAt > FRESH_MS) {
      queriedAt = performance.now();
      stats = laneStats(db, clock.now()).catch(() => []);
    }
    return stats;
  };
  const registers = [registry];
  new Gauge({
    name: 'stithy_jobs',
    help: 'Background jobs by lane: waiting (due), scheduled (not due yet), held (behind another job of their key), running, dead (failed permanently).',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      for (const lane of await current()) for (const state of STATES) this.set({ lane: lane.lane, state }, lane[state]);
    },
  });
  new Gauge({
    name: 'stithy_jobs_oldest_seconds',
    help: 'Seconds that the oldest unclaimed job of a lane has been due.',
    labelNames: ['lane'],
    registers,
    async collect() {
      for (const { lane, oldest_seconds } of await current()) this.set({ lane }, oldest_seconds);
    },
  });
  new Gauge({
    name: 'stithy_job_runs',
    help: 'Runs of jobs in this process since its start, by lane and outcome.',
    labelNames: ['lane', 'result'],
    registers,
    collect() {
      for (const [lane, counts] of jobs.counts()) {
        for (const result of ['done', 'failed', 'dead'] as const) this.set({ lane, result }, counts[result]);
      }
    },
  });
}
