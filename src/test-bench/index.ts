/** The test bench: what tests of clients see and steer (`--bench`). Off, none of it exists. */
export { BenchClock } from './clock/bench-clock.ts';
export { benchRoutes } from './test-bench.routes.ts';
export { TestBench } from './test-bench.ts';
