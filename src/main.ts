import { run } from './cli/run.ts';

/** The `stithy` command; `bin/stithy.js` starts it. */
process.exitCode = await run(process.argv.slice(2), process.env);
