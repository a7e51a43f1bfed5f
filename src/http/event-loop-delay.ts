import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Sampling interval in milliseconds. */
const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/**
 * Registers the event loop delay since the last scrape. Node's histogram contains the time between two samples, from
 * which the interval is subtracted.
 */
export function registerEventLoopDelay(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  new Gauge({
    name: 'stithy_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape: 50th, 90th and 99th percentile, and maximum.',
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
