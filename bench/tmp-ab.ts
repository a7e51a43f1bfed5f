// A=/root/a B=/root/b SECS=2 [WARM=1] [ROUNDS=3] [DATA=/work/w/git-data] : kinds of two checkouts in turns on copies of one data folder
import { draw, KINDS } from './cold/questions.ts';
import { load } from './load.ts';
import { startServer, TOKEN, residentMb } from './server.ts';
const data = process.env.DATA ?? '/work/w/git-data';
const source = process.env.SOURCE ?? '/work/main/bench/.data/pushed.git';
const roots = [process.env.A ?? '/work/w/base', process.env.B ?? '/work/main'];
const dirs = ['second', 'second-b'];
const servers: Awaited<ReturnType<typeof startServer>>[] = [];
for (const n of [0, 1]) { process.chdir(roots[n]!); servers.push(await startServer(`${data}/${dirs[n]}`, 18797 + n)); }
const q = await Promise.all([draw(source, 41), draw(source, 41)]);
const ms = Number(process.env.SECS ?? 2);
const peaks = [0, 0];
setInterval(() => servers.forEach((s, n) => void residentMb(s.child.pid!).then((mb) => { peaks[n] = Math.max(peaks[n]!, mb); }, () => {})), 100);
let product = 1;
for (const kind of KINDS) {
  const rates: number[][] = [[], []];
  const few = [0, 1].map((n) => Array.from({ length: 8 }, () => `/api/v4/projects/1/repository/${q[n]!.next(kind)}`));
  for (let round = 0; round < Number(process.env.ROUNDS ?? 3); round++) for (const n of round % 2 ? [1, 0] : [0, 1]) {
    let at = 0;
    const next = process.env.WARM ? () => few[n]![at++ % 8]! : () => `/api/v4/projects/1/repository/${q[n]!.next(kind)}`;
    const { rate } = await load(`${servers[n]!.url}/`, { 'PRIVATE-TOKEN': TOKEN }, { connections: 8, seconds: ms, next });
    rates[n]!.push(rate);
  }
  const sum = rates.map((r) => r.reduce((a, b) => a + b));
  product *= sum[1]! / sum[0]!;
  console.log(kind, rates.map((r) => r.map((x) => x.toFixed(0)).join(' ')).join(' | '), (sum[1]! / sum[0]!).toFixed(3), peaks.map((p) => p.toFixed(0)).join(' '));
}
console.log('mean', (product ** (1 / KINDS.length)).toFixed(3));
for (const s of servers) await s.stop();
process.exit(0);
