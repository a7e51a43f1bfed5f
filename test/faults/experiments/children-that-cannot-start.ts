import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Experiment } from '../experiment.ts';
import descriptors from './descriptors.ts';

const RUN = join(import.meta.dirname, '../../run.ts');
const TEST = 'test/children-that-cannot-start.test.ts';

const experiment: Experiment = {
  title: 'children that cannot be started, of each kind, and a server without file descriptors for them',
  async run(lab) {
    const args = [RUN, `--${lab.engine}`, '--at-once', '1', TEST];
    const child = spawn(process.execPath, args, { cwd: join(RUN, '../..'), stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, printed);
    lab.say(/\d+ passed/.exec(printed)?.[0] ?? '');
    if (descriptors.engines?.includes(lab.engine) ?? true) await descriptors.run(lab);
  },
};
export default experiment;
