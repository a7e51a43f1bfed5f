import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { median } from './git.ts';
import { residentMb, startServer } from './server.ts';

const ROUNDS = 9;

/** What one start took: milliseconds to the first good answer, of the processor too, and memory then. */
interface Start {
  ms: number;
  cpuMs: number;
  mb: number;
}

/** Milliseconds of processor time that a process has used, all of its threads together. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Clock ticks of user and system, a hundred a second on every Linux.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Time and memory of a program that does nothing. */
async function emptyProgram(): Promise<Start> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  const ms = performance.now() - started;
  // The same program, kept alive for as long as it is looked at.
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); process.stdout.write("up")']);
  await once(child.stdout, 'data');
  const measured = { ms, cpuMs: await processorMs(child.pid!), mb: await residentMb(child.pid!) };
  await end(child);
  return measured;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function start(dataDir: string, port: number): Promise<Start> {
  const server = await startServer(dataDir, port);
  const pid = server.child.pid!;
  const measured = { ms: server.readySeconds * 1_000, cpuMs: await processorMs(pid), mb: await residentMb(pid) };
  await server.stop();
  return measured;
}

/** How many files with code a start loads until the first good answer. */
async function modules(dataDir: string, port: number): Promise<number> {
  const counter = new URL('./count-modules.ts', import.meta.url).href;
  const server = await startServer(dataDir, port, ['--import', counter]);
  server.child.send('count');
  const [count] = (await once(server.child, 'message')) as [number];
  await server.stop();
  return count;
}

const of = (starts: readonly Start[], key: keyof Start): number => median(starts.map((each) => each[key]));

/**
 * The first start on an empty folder and later ones on data, each against a program that does nothing in the same round.
 * @param dataDir a folder with data
 * @param scratch where a folder for first starts may be made
 */
export async function starts(dataDir: string, scratch: string, port: number): Promise<Figure[]> {
  const fresh = join(scratch, 'first-start');
  // What is made once in a checkout, the bundle and compiled code, is there when the measuring begins.
  await start(dataDir, port);
  const [empty, first, later]: [Start[], Start[], Start[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    empty.push(await emptyProgram());
    await rm(fresh, { recursive: true, force: true });
    first.push(await start(fresh, port));
    later.push(await start(dataDir, port));
  }
  await rm(fresh, { recursive: true, force: true });
  const counts = { first: await modules(fresh, port), later: await modules(dataDir, port) };
  await rm(fresh, { recursive: true, force: true });
  const nothing = `node -e 0 ${of(empty, 'ms').toFixed(0)} ms`;
  const time = (name: string, of_: Start[], limit: number): Figure => {
    const value = of(of_, 'ms') / of(empty, 'ms');
    const cpu = `processor ${of(of_, 'cpuMs').toFixed(0)} ms`;
    const measured = `${value.toFixed(1)} x (${of(of_, 'ms').toFixed(0)} ms, ${cpu}; ${nothing})`;
    return { name, measured, value, limit, better: 'less' };
  };
  const memory = (name: string, of_: Start[], count: number, limit: number): Figure => {
    const value = of(of_, 'mb') - of(empty, 'mb');
    const whole = `${of(of_, 'mb').toFixed(0)} MB, node -e 0 ${of(empty, 'mb').toFixed(0)} MB`;
    return { name, measured: `${value.toFixed(0)} MB (${whole}; ${count} files loaded)`, value, limit, better: 'less' };
  };
  const firstAgainstLater = (): Figure => {
    const value = of(first, 'ms') / of(later, 'ms');
    const cpu = `processor ${of(first, 'cpuMs').toFixed(0)} ms`;
    const measured = `${value.toFixed(2)} x (${of(first, 'ms').toFixed(0)} ms, ${cpu})`;
    return { name: 'first start, on an empty folder, against later ones', measured, value, limit: 2, better: 'less' };
  };
  return [
    time('first good answer after the process starts, existing data, against `node -e 0`', later, 16),
    memory('resident memory then, above that of `node -e 0`', later, counts.later, 85),
    firstAgainstLater(),
    memory('resident memory then, above that of `node -e 0`, first start', first, counts.first, 85),
  ];
}
