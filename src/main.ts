import { run } from './cli/cli.run.ts';
import { withSourceLines } from './core/stack-traces.ts';

// What nobody caught ends the program: node prints this stack.
process.on('uncaughtExceptionMonitor', (error) => {
  if (typeof error?.stack === 'string') error.stack = withSourceLines(error.stack);
});

/** The `stithy` command; `bin/stithy.js` starts it. */
void run(process.argv.slice(2), process.env).then((code) => {
  process.exitCode = code;
});
