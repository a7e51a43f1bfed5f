import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { peakMemory } from '../measure.ts';

const MiB = 1024 * 1024;
const UPLOADS = 4;
const UPLOAD_BYTES = 70 * MiB;
/** A heap of 256 MiB, with what else a process of Node.js takes. */
const HEAP_MIB = 256;
const MAX_MIB = 512;

const headers = { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' };

const experiment: Experiment = {
  title: `${UPLOADS} uploads of 70 MB at once to a server with a heap of ${HEAP_MIB} MiB`,
  async run(lab) {
    const settings = { ...(await lab.newDatabase()), NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const server = await lab.start(join(lab.folder, 'data'), settings);
    const api = `${server.url}/api/v4`;
    const body = JSON.stringify({ name: 'large', initialize_with_readme: true });
    const made = await fetch(`${api}/projects`, { method: 'POST', headers, body });
    assert.equal(made.status, 201);
    await made.arrayBuffer();
    const content = randomBytes(UPLOAD_BYTES).toString('base64');
    const upload = async (_: unknown, index: number): Promise<number> => {
      const answer = await fetch(`${api}/projects/root%2Flarge/repository/files/file${index}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ branch: 'main', commit_message: 'Large', encoding: 'base64', content }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const peak = await peakMemory([server.child.pid!], async () => {
      assert.deepEqual(await Promise.all(Array.from({ length: UPLOADS }, upload)), Array(UPLOADS).fill(201));
    });
    lab.say(`at most ${peak} MiB`);
    assert.ok(peak < MAX_MIB, `${peak} MiB`);
  },
};
export default experiment;
