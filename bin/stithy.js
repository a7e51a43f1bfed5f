#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old for the rest can still say so.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { boundMemory } from './memory.js';

const MIN_NODE = 24;
if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(
    `stithy needs Node.js ${MIN_NODE} or later; this is ${process.versions.node}. "npm install --save-dev node" brings one to a folder, for npx; a checkout has its own, for "npm start".\n`,
  );
  process.exit(1);
}
const serves = process.argv[2] === 'serve';
if (serves) boundMemory();
// Until the server takes its signals itself there is nothing to finish.
if (serves) for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => process.exit(0));
// Compiled code is kept between starts.
module.enableCompileCache();
const source = new URL('../src/main.ts', import.meta.url);
// What is published holds the bundle alone; a checkout makes it, or runs its sources where it cannot.
if (!existsSync(source) || (await (await import('./checkout.js')).makeBundle())) {
  const { runBundle } = await import('./compiled.js');
  runBundle(fileURLToPath(new URL('../dist/main.cjs', import.meta.url)), serves);
} else {
  await import(source.href);
}
