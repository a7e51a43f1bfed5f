#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

const MIN_NODE = 24;
if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(
    `stithy needs Node.js ${MIN_NODE} or later; this is ${process.versions.node}. In a checkout, "npm start" brings its own.\n`,
  );
  process.exit(1);
}
// Compiled code is kept between starts: a second start takes half the time.
enableCompileCache();
const { run } = await import('./cli/run.ts');
process.exitCode = await run(process.argv.slice(2), process.env);
