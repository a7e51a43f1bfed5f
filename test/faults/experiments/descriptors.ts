import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const DESCRIPTORS = 128;
const IDLE = 30;
const CONNECTIONS = 200;
const PROJECTS = 12;
const headers = { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' };

const experiment: Experiment = {
  title: `a server with ${DESCRIPTORS} file descriptors, and more connections and git commands than these do for`,
  engines: ['sqlite'],
  async run(lab) {
    const settings = { ...(await lab.newDatabase()), STITHY_MAX_CONNECTIONS: '1000' };
    const server = await lab.start(join(lab.folder, 'data'), settings);
    const { pid } = server.child;
    limitDescriptors(pid!);
    const api = `${server.url}/api/v4`;
    for (let n = 0; n < PROJECTS; n += 1) {
      const body = JSON.stringify({ name: `p${n}`, initialize_with_readme: true });
      const made = await fetch(`${api}/projects`, { method: 'POST', headers, body });
      assert.equal(made.status, 201);
      await made.arrayBuffer();
    }
    const { hostname, port } = new URL(server.url);
    const idle = Array.from({ length: IDLE }, () => createConnection({ host: hostname, port: Number(port) }));
    for (const socket of idle) socket.on('error', () => {});
    const what = [
      'tree',
      'commits?with_stats=true',
      'branches',
      'archive.tar.gz',
      'archive.tar.bz2',
      'files/README.md/blame?ref=main',
      'commits/main/diff',
      'clone',
      'push',
    ];
    const basic = { authorization: `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}` };
    const addressOf = (project: string, asked: string): string => {
      const service = asked === 'clone' ? 'git-upload-pack' : 'git-receive-pack';
      if (asked !== 'clone' && asked !== 'push') return `${api}/projects/root%2F${project}/repository/${asked}`;
      return `${server.url}/root/${project}.git/info/refs?service=${service}`;
    };
    const ask = async (index: number) => {
      try {
        const asked = what[index % what.length]!;
        const answer = await fetch(addressOf(`p${index % PROJECTS}`, asked), {
          headers: asked === 'clone' || asked === 'push' ? basic : headers,
          signal: AbortSignal.timeout(30_000),
        });
        await answer.arrayBuffer();
        return answer.status;
      } catch {
        return 0;
      }
    };
    for (let round = 0; round < 3; round += 1) {
      const during = await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => ask(index)));
      lab.say(`meanwhile: ${summary(during)}`);
      assert.ok(!during.includes(500), summary(during));
      assert.equal(server.child.exitCode, null);
    }
    for (const socket of idle) socket.destroy();
    await pause(500);
    const after: number[] = [];
    for (let index = 0; index < 4 * PROJECTS; index += 1) after.push(await ask(index));
    lab.say(`after it: ${summary(after)}`);
    assert.deepEqual(new Set(after), new Set([200]));
    assert.equal(server.child.exitCode, null);
  },
};
export default experiment;

function limitDescriptors(pid: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`]);
}

const summary = (statuses: readonly number[]): string =>
  [...Map.groupBy(statuses, String)].map(([status, all]) => `${all.length} x ${status}`).join(', ');
