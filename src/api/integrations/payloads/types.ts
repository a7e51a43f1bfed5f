import type { DomainEventType } from '../../../core/core.domain-events.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import type { HookMessage } from '../../../webhooks/webhooks.source.ts';

export type HookKind = 'project' | 'group' | 'system';

/** A payload, sent as JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/** What a builder returns: a payload, and for hooks of projects and groups its owner, who is one of both. */
export interface BuiltPayload {
  payload: Payload;
  projectId?: number | null;
  groupId?: number | null;
  /** Trigger of the payload, if the builder serves several. */
  trigger?: string;
  /** Name of the branch for pushes to branches, for filters. */
  branch?: string;
}

/** A payload for hooks of projects and groups: those of the owner and its ancestor groups receive it. */
export interface HookEvent extends HookMessage {
  payload: Payload;
  projectId: number | null;
  groupId: number | null;
}

/** A payload for system hooks. */
export interface SystemEvent extends HookMessage {
  payload: Payload;
}

/** Owner of a hook. */
export type HookOwner = { projectId: number } | { groupId: number };

/** Kinds of domain events that fire a trigger, and the builder of their payloads. */
export interface TriggerRule<T extends DomainEventType = DomainEventType> {
  on: readonly T[];
  /** Builds the payloads; nothing if there are none, or the object was deleted without recorded facts. */
  build(
    deps: Deps,
    event: RecordedEvent<T>,
    retried?: boolean,
  ): Promise<BuiltPayload | readonly BuiltPayload[] | undefined>;
  /** Whether the event may have the trigger: fast and pure, since it is called in the event's transaction. */
  when(event: RecordedEvent<T>): boolean;
}

/** Declares what fires a trigger. @param when default: always */
export const triggerRule = <T extends DomainEventType>(
  on: TriggerRule<T>['on'],
  build: TriggerRule<T>['build'],
  when: TriggerRule<T>['when'] = () => true,
) => ({ on, build, when }) as TriggerRule<never> as TriggerRule;

/**
 * Builds the payload for the test of a hook, from the last object of its kind in a project (in a group for triggers of
 * groups alone), as if it had just changed; undefined if there is none.
 */
export type Sample = (deps: Deps, id: number, userId: number | null) => Promise<BuiltPayload | undefined>;

/** A row of the table of hook events. */
export interface HookEventRow {
  /** `X-Gitlab-Event` of hooks of projects and groups. */
  header?: string;
  /** Description of its flag. */
  description?: string;
  /** The hooks that have its flag, and whether the flag of a new one is on. System hooks without it get all events. */
  flag: Readonly<Partial<Record<HookKind, boolean>>>;
  /** Hooks that show the flag, always off. */
  shown?: readonly HookKind[];
  /** What hooks of projects and groups, and integrations, are told. */
  hooks?: TriggerRule;
  /** What system hooks are told. */
  system?: TriggerRule;
  /** Whether payloads may contain secrets: they are stored encrypted. */
  secret?: true;
  /** Builds the payload of a test, or the error says what is missing. */
  sample?: readonly [Sample, string];
}
