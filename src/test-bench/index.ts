/** The test bench: what tests of clients see and steer (`--bench`). Off, none of it exists. */
export { BenchClock } from './clock/bench-clock.ts';
export { applySeed, type SeedReport, type SeedTarget } from './seed/seed.apply.ts';
export { SeedError } from './seed/seed.error.ts';
export { SeedMistake } from './seed/seed-context.ts';
export { applySeedFile } from './seed/seed-file.ts';
export { finishAfterOpen, finishBeforeOpen } from './snapshots/finish-restore.ts';
export { benchRoutes } from './test-bench.routes.ts';
export { TestBench } from './test-bench.ts';
