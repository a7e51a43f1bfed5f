import { expectStatus, type TestApp } from '../support/app.ts';
import type { Scene } from './scene.ts';

/** What stands for a parameter of a path; undefined where the scene decides. */
export type Things = (path: string, name: string) => string | number | undefined;

type Made = Record<string, unknown> & { id: number };

/** Makes, through the API, one of everything that can only be read when it is there. */
export async function makeThings(app: TestApp, { group, project, value }: Scene): Promise<Things> {
  const make = async (path: string, json: object) => expectStatus<Made>(await app.post(path, { json }), 201);
  const places = { projects: `/projects/${project.id}`, groups: `/groups/${group.id}` } as const;
  const { projects: at } = places;
  const ids: Record<string, Record<string, string | number>> = { projects: {}, groups: {} };
  for (const [kind, path] of Object.entries(places)) {
    await make(`${path}/variables`, { key: 'THING', value: 'x' });
    const token = await make(`${path}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] });
    const robot = await make(`${path}/access_tokens`, { name: 'x', scopes: ['api'], access_level: 10 });
    const hook = await make(`${path}/hooks`, { url: 'https://hook.example/x' });
    ids[kind] = { key: 'THING', deploy: token.id, access: robot.id, hook: hook.id };
  }
  await make(`${places.groups}/push_rule`, { max_file_size: 1_000 });
  const iid = value('/projects/:id/merge_requests/:merge_request_iid', 'merge_request_iid');
  const request = `${at}/merge_requests/${iid}`;
  const rule = await make(`${at}/approval_rules`, { name: 'x', approvals_required: 0 });
  const ownRule = await make(`${request}/approval_rules`, { name: 'own', approvals_required: 0 });
  const tag = 'v1';
  await make(`${at}/repository/tags`, { tag_name: tag, ref: 'main' });
  const link = { name: 'x', url: 'https://example.org/x', direct_asset_path: '/thing' };
  await make(`${at}/releases`, { tag_name: tag, name: 'x', assets: { links: [link] } });
  const milestone = await make(`${at}/milestones`, { title: 'x' });
  const changes = { labels: 'x', milestone_id: milestone.id };
  expectStatus(await app.put(request, { json: changes }), 200);
  for (const state_event of ['close', 'reopen']) expectStatus(await app.put(request, { json: { state_event } }), 200);
  await app.drain();
  const first = async (path: string) => expectStatus<Made[]>(await app.get(path), 200)[0]!.id;
  const events: Record<string, number> = {};
  for (const kind of ['label', 'milestone', 'state']) events[kind] = await first(`${request}/resource_${kind}_events`);
  const [entry] = expectStatus<{ id: string }[]>(await app.get(`${at}/repository/tree`), 200);
  expectStatus(await app.post(`${at}/terraform/state/thing`, { json: { version: 4, serial: 1 } }), 200);
  const runner = value(`${at}/runners/:runner_id`, 'runner_id');
  await make(`${at}/runners`, { runner_id: runner });
  const shared: Record<string, string | number> = {
    tag_name: tag,
    branch: 'main',
    approval_rule_id: rule.id,
    file_path: 'a.txt',
    suffix_path: 'downloads/thing',
    direct_asset_path: 'thing',
  };
  return (path, name) => {
    const own = ids[path.startsWith('/groups') ? 'groups' : 'projects']!;
    if (name === 'key' && path.includes('/variables/')) return own.key;
    if (name === 'token_id' && path.includes('/deploy_tokens/')) return own.deploy;
    if (name === 'token_id') return own.access;
    if (name === 'hook_id') return own.hook;
    if (name === 'sha' && path.includes('/blobs/')) return entry!.id;
    if (name === 'name' && path.includes('/terraform/')) return 'thing';
    if (name === 'event_id' && path.includes('/merge_requests/'))
      return events[/resource_(\w+)_events/.exec(path)![1]!];
    if (name === 'approval_rule_id' && path.includes('/merge_requests/')) return ownRule.id;
    if (name === 'runner_id' && path.startsWith('/runners/')) return runner;
    if (name === 'rest') return path.includes('/raw/') ? 'main/a.txt' : 'main/x.zip';
    return shared[name];
  };
}
