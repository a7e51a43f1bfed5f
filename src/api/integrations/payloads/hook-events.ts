import type { DomainEventType } from '../../../core/core.domain-events.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { ALWAYS, type HookSource, SYSTEM_HEADER } from '../../../webhooks/webhooks.source.ts';
import { HOOK_EVENTS, TRIGGERS, type Trigger } from './hook-events.table.ts';
import type { BuiltPayload, HookEvent, SystemEvent, TriggerRule } from './types.ts';

type Fired = TriggerRule & { trigger: string };
type Firings = ReadonlyMap<DomainEventType, readonly Fired[]>;

/** The firings of some triggers by kind of event, in the order of the table. */
function firings(triggers: readonly Trigger[], place: 'hooks' | 'system'): Firings {
  const kinds = new Map<DomainEventType, Fired[]>();
  for (const trigger of triggers) {
    const { [place]: firing, flag } = HOOK_EVENTS[trigger];
    const named = place === 'system' && flag.system === undefined ? ALWAYS : trigger;
    for (const kind of firing?.on ?? []) kinds.set(kind, [...(kinds.get(kind) ?? []), { ...firing!, trigger: named }]);
  }
  return kinds;
}

const fired = (all: Firings, event: RecordedEvent) => all.get(event.type)?.filter(({ when }) => when(event)) ?? [];

/** Payloads of an event with their triggers; each builder is called once. */
async function builtOf(all: Firings, deps: Deps, event: RecordedEvent, retried?: boolean) {
  const payloads: (BuiltPayload & { trigger: string })[] = [];
  const builders = new Map(fired(all, event).map(({ build, trigger }) => [build, trigger]));
  for (const [build, trigger] of builders) {
    const built = await build(deps, event, retried);
    payloads.push(...[built ?? []].flat().map((each) => ({ trigger, ...each })));
  }
  return payloads;
}

/** Renders a payload for hooks of projects and groups. */
export function hookEvent({
  projectId = null,
  groupId = null,
  ...built
}: BuiltPayload & { trigger: string }): HookEvent {
  const { header = '', secret } = HOOK_EVENTS[built.trigger as Trigger];
  return { ...built, header, projectId, groupId, ...(secret === undefined ? {} : { secret }) };
}

const systemEvent = ({ projectId: _, groupId: __, ...built }: BuiltPayload & { trigger: string }): SystemEvent => ({
  ...built,
  header: SYSTEM_HEADER,
});

const SYSTEM = firings(TRIGGERS, 'system');

/**
 * What some triggers tell.
 * @throws GitError if a repository is temporarily unavailable, while payloads are built
 */
function sourceOf(triggers: readonly Trigger[]) {
  const hooks = firings(triggers, 'hooks');
  return {
    types: [...new Set([...hooks.keys(), ...SYSTEM.keys()])],
    triggersOf: (event: RecordedEvent) => fired(hooks, event).map(({ trigger }) => trigger),
    systemTriggersOf: (event: RecordedEvent) => fired(SYSTEM, event).map(({ trigger }) => trigger),
    hookEventsOf: async (deps: Deps, event: RecordedEvent, retried?: boolean): Promise<HookEvent[]> =>
      (await builtOf(hooks, deps, event, retried)).map(hookEvent),
    systemEventsOf: async (deps: Deps, event: RecordedEvent): Promise<SystemEvent[]> =>
      (await builtOf(SYSTEM, deps, event)).map(systemEvent),
  } satisfies HookSource;
}

/** What webhooks are told. */
export const hookSource = sourceOf(TRIGGERS.filter((trigger) => Object.keys(HOOK_EVENTS[trigger].flag).length > 0));
/** What integrations are told. */
export const integrationSource = sourceOf(TRIGGERS);
