import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const CLONES = 70;
const FILE_BYTES = 8 * 1024 * 1024;
const headers = { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' };

/** A client that asks for everything and reads nothing. */
function slowClone(url: URL, head: string): Socket {
  const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  const body = `${packet(`want ${head} side-band-64k\n`)}0000${packet('done\n')}`;
  const socket = createConnection({ host: url.hostname, port: Number(url.port) });
  socket.on('error', () => {});
  socket.pause();
  socket.write(
    `POST /root/public.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-git-upload-pack-request\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const experiment: Experiment = {
  title: `${CLONES} anonymous clones of a public project whose clients read nothing`,
  engines: ['sqlite'],
  async run(lab) {
    const server = await lab.start(join(lab.folder, 'data'), await lab.newDatabase());
    const api = `${server.url}/api/v4`;
    const post = async (path: string, value: object) => {
      const answer = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(value) });
      assert.equal(answer.status, 201);
      return (await answer.json()) as Record<string, unknown>;
    };
    await post('/projects', { name: 'public', visibility: 'public', initialize_with_readme: true });
    const content = randomBytes(FILE_BYTES).toString('base64');
    const commit = { branch: 'main', commit_message: 'Large', encoding: 'base64', content };
    await post('/projects/root%2Fpublic/repository/files/large', commit);
    const branch = await fetch(`${api}/projects/root%2Fpublic/repository/branches/main`, { headers });
    const head = ((await branch.json()) as { commit: { id: string } }).commit.id;
    const sockets = Array.from({ length: CLONES }, () => slowClone(new URL(server.url), head));
    // A place that is taken shows only in what others get: they ask again and again while the clones come in.
    for (let round = 1; round <= 20; round += 1) {
      const started = performance.now();
      const refs = await fetch(`${server.url}/root/public.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}` },
        signal: AbortSignal.timeout(20_000),
      });
      assert.equal(refs.status, 200);
      await refs.arrayBuffer();
      if (round === 20) lab.say(`the last of ${round} others waited ${Math.round(performance.now() - started)} ms`);
    }
    for (const socket of sockets) socket.destroy();
  },
};
export default experiment;
