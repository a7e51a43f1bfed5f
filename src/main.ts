import { run } from './cli/cli.run.ts';
import { withSourceLines } from './core/stack-traces.ts';

// An uncaught exception ends the program, and node prints this stack.
process.on('uncaughtExceptionMonitor', (error) => {
  if (typeof error?.stack === 'string') error.stack = withSourceLines(error.stack);
});

/** The `stithy` command, started by `bin/stithy.js`. */
void run(process.argv.slice(2), process.env).then((code) => {
  process.exitCode = code;
});
