/**
 * Loaded into a server before everything else (`--import`): its clocks are off by what a file says, again and again: a
 * line with the milliseconds that the time of day is ahead, and those that have passed beside the real ones. What it
 * goes by is written to the same name with `.seen`. Git and PostgreSQL keep the real time.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LOOK_MS = 10;
const file = process.env.FAULT_CLOCK ?? '';
const RealDate = Date;
const realNow = Date.now;
const realSteady = performance.now.bind(performance);
let ahead = 0;
let passed = 0;
let last = '';

function look(): void {
  const text = readFileSync(file, 'utf8');
  if (text === last) return;
  last = text;
  [ahead = 0, passed = 0] = text.split(' ').map(Number);
  writeFileSync(`${file}.seen`, text);
}

look();
setInterval(look, LOOK_MS).unref();
RealDate.now = () => realNow() + ahead + passed;
Object.defineProperty(performance, 'now', { configurable: true, value: () => realSteady() + passed });
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [target.now()] : args, self),
  apply: (target) => new target(target.now()).toString(),
});
