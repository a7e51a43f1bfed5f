import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Milliseconds between two looks. */
const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/**
 * Adds how late this process was for what it wanted to do, of all looks since it was last asked for. Node's histogram holds the
 * time between two looks, which are to be so far apart: that much is not delay.
 */
export function registerEventLoopDelay(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  new Gauge({
    name: 'stithy_event_loop_delay_seconds',
    help: 'How late the event loop was since the last scrape: of half, 90 and 99 of 100 looks at most, and at worst.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) {
        const milliseconds = histogram.count === 0 ? 0 : histogram.percentile(quantile * 100) / 1e6;
        this.set({ quantile: String(quantile) }, Math.max(0, milliseconds - RESOLUTION_MS) / 1_000);
      }
      histogram.reset();
    },
  });
}
