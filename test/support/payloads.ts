import assert from 'node:assert/strict';
import { hookSource } from '../../src/api/integrations/payloads/hook-events.ts';
import type { HookEvent, SystemEvent } from '../../src/api/integrations/payloads/types.ts';
import { isEventKind } from '../../src/core/core.domain-events.ts';
import type { RecordedEvent } from '../../src/jobs/jobs.events.ts';
import type { TestApp } from './app.ts';

export interface SentPayloads {
  hooks: HookEvent[];
  system: SystemEvent[];
}

const asSent = <T>(event: T): T => JSON.parse(JSON.stringify(event));

const { triggersOf, systemTriggersOf, hookEventsOf, systemEventsOf } = hookSource;

/** What hooks and system hooks are told of everything that some work does. @param drained whether also of what follows */
export async function sentPayloadsOf(
  app: TestApp,
  work: () => Promise<unknown>,
  drained = false,
): Promise<SentPayloads> {
  const { deps } = app;
  const before = await deps.db
    .selectFrom('domain_events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirstOrThrow();
  await work();
  if (drained) await app.drain();
  const rows = await deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('id', '>', before.id ?? 0)
    .orderBy('id')
    .execute();
  const payloads: SentPayloads = { hooks: [], system: [] };
  for (const row of rows) {
    assert.ok(isEventKind(row.type));
    const event: RecordedEvent = { ...row, type: row.type, payload: JSON.parse(row.payload) };
    for (const each of await hookEventsOf(deps, event)) {
      assert.ok(triggersOf(event).includes(each.trigger), `${row.type} is not told to ask ${each.trigger}`);
      assert.ok((each.projectId === null) !== (each.groupId === null), 'one place is told');
      payloads.hooks.push(asSent(each));
    }
    for (const each of await systemEventsOf(deps, event)) {
      assert.ok(systemTriggersOf(event).includes(each.trigger), `${row.type} is not told to ask ${each.trigger}`);
      payloads.system.push(asSent(each));
    }
  }
  return payloads;
}

/** The messages of a trigger. @typeParam T what they hold, as far as it is looked at */
export const payloadsOf = <T extends object = Record<string, unknown>>(
  { hooks }: SentPayloads,
  trigger: HookEvent['trigger'],
): T[] => hooks.filter((each) => each.trigger === trigger).map(({ payload }) => payload as T);

/** A message as the test knows that it is. */
export const readAs = <T extends object>(payload: HookEvent['payload']): T => payload as T;

/** What a message shows of a project of the factories that has nothing special. */
export function projectShown(
  app: TestApp,
  { id, name, full_path, namespace }: { id: number; name: string; full_path: string; namespace: string },
  more: Record<string, unknown> = {},
) {
  const base = app.deps.externalUrl();
  const ssh = app.deps.sshUrl(`${full_path}.git`);
  return {
    id,
    name,
    description: null,
    web_url: `${base}/${full_path}`,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: `${base}/${full_path}.git`,
    namespace,
    visibility_level: 0,
    path_with_namespace: full_path,
    default_branch: 'main',
    ci_config_path: null,
    homepage: `${base}/${full_path}`,
    url: ssh,
    ssh_url: ssh,
    http_url: `${base}/${full_path}.git`,
    ...more,
  };
}

/** What a message shows of a user of the factories, who shows no address. */
export const personShown = ({ id, name, username }: { id: number; name: string; username: string }) => ({
  id,
  name,
  username,
  avatar_url: null,
  email: '[REDACTED]',
});

/** What it shows of root. */
export const ROOT_SHOWN = personShown({ id: 1, name: 'Administrator', username: 'root' });

/** What a message calls the repository of such a project. */
export function repositoryShown(app: TestApp, project: { id: number; name: string; full_path: string }) {
  const { name, url, description, homepage } = projectShown(app, { ...project, namespace: '' });
  return { name, url, description, homepage };
}
