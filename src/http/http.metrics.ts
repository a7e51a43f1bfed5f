import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { registerCacheMetrics } from './cache-metrics.ts';
import { registerEventLoopDelay } from './event-loop-delay.ts';

/** The metrics of `/-/metrics`, labelled by route template and never by the raw path. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'status' | 'route'>;
  readonly #durations: Histogram<'method' | 'route'>;
  readonly #inFlight: Gauge;
  readonly #bound = new Map<string, { count: () => void; observe: (seconds: number) => void }>();
  #knowsProcess = false;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'status', 'route'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
    this.#inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests in flight.', registers });
    registerCacheMetrics(this.#registry);
  }

  /** Registers further metrics. */
  add(register: (registry: Registry) => void): void {
    register(this.#registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics in the text format. Process metrics are collected from the first scrape on. */
  async text(): Promise<string> {
    if (!this.#knowsProcess) {
      collectDefaultMetrics({ register: this.#registry });
      registerEventLoopDelay(this.#registry);
    }
    this.#knowsProcess = true;
    return this.#registry.metrics();
  }

  started(): void {
    this.#inFlight.inc();
  }

  ended(method: string, route: string, status: number, seconds: number): void {
    this.#inFlight.dec();
    const key = `${method} ${status} ${route}`;
    let bound = this.#bound.get(key);
    if (bound === undefined) {
      const counter = this.#requests.labels({ method, status: String(status), route });
      const histogram = this.#durations.labels({ method, route });
      bound = { count: () => counter.inc(), observe: (value) => histogram.observe(value) };
      this.#bound.set(key, bound);
    }
    bound.count();
    bound.observe(seconds);
  }
}
