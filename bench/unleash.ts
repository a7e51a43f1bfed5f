import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, type Read, share } from './figures.ts';
import { type BenchServer, startBare, startServer, TOKEN } from './server.ts';

const FLAGS = 20;
const PAUSE_MS = 10;

async function api<T>({ url }: BenchServer, method: string, path: string, body?: object): Promise<T> {
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A project with flags of all kinds. @returns its id and how its programs ask */
async function seedFlags(server: BenchServer): Promise<{ id: number; poll: Read }> {
  const { id } = await api<{ id: number }>(server, 'POST', '/projects', { path: 'flags' });
  const home = `/projects/${id}`;
  const list = { name: 'staff', user_xids: Array.from({ length: 50 }, (_, n) => `user-${n}`).join() };
  const { id: user_list_id } = await api<{ id: number }>(server, 'POST', `${home}/feature_flags_user_lists`, list);
  const rollout = { groupId: 'default', rollout: '25', stickiness: 'default' };
  for (let n = 0; n < FLAGS; n += 1) {
    const strategies = [
      { name: 'flexibleRollout', parameters: rollout, scopes: [{ environment_scope: 'production' }] },
      { name: 'default', parameters: {}, scopes: [{ environment_scope: 'review/*' }] },
      ...(n % 5 === 0 ? [{ name: 'svcUserList', user_list_id }] : []),
    ];
    await api(server, 'POST', `${home}/feature_flags`, { name: `flag-${n}`, strategies });
  }
  const client = await api<{ instance_id: string }>(server, 'GET', `${home}/feature_flags_client`);
  const headers = { 'UNLEASH-INSTANCEID': client.instance_id, 'UNLEASH-APPNAME': 'production' };
  return { id, poll: { url: `${server.url}/api/v4/feature_flags/unleash/${id}/client/features`, headers } };
}

/** Polls of an Unleash client for 20 flags, on an idle server and while something else is written a hundred times a second. */
export async function unleash(dataDir: string, port: number): Promise<Figure[]> {
  await rm(dataDir, { recursive: true, force: true });
  const server = await startServer(dataDir, port);
  const bare = await startBare();
  try {
    const { id, poll } = await seedFlags(server);
    const idle = await share(bare, poll, `poll of an Unleash client, ${FLAGS} flags`, 50);
    let writing = true;
    const writes = (async () => {
      for (let n = 0; writing; n += 1) {
        await api(server, 'POST', `/projects/${id}/labels`, { name: `label ${n}`, color: '#ff0000' });
        await sleep(PAUSE_MS);
      }
    })();
    const busy = await share(bare, poll, 'the same while labels are made', 30).finally(() => {
      writing = false;
    });
    await writes;
    return [idle, busy];
  } finally {
    bare.stop();
    await server.stop();
  }
}
