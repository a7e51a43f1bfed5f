import type { DomainEventType } from '../core/core.domain-events.ts';
import type { Deps } from '../deps.ts';
import type { RecordedEvent } from '../jobs/jobs.events.ts';

/** Trigger of what all system hooks get: no flag disables it. */
export const ALWAYS = 'always';
/** `X-Gitlab-Event` of all that system hooks get. */
export const SYSTEM_HEADER = 'System Hook';

/** A message to hooks. */
export interface HookMessage {
  /** Trigger, such as `push` for `push_events`. */
  trigger: string;
  /** Value of `X-Gitlab-Event`, such as `Push Hook`. */
  header: string;
  /** Branch name of a push, for filters. */
  branch?: string;
  payload: object;
  /** Whether it may contain secrets: it is stored encrypted. */
  secret?: true;
}

/** Source of the messages of events; implemented by the API's payloads. */
export interface HookSource {
  /** Kinds of events with messages. */
  types: readonly DomainEventType[];
  /** Triggers of an event for hooks of projects and groups. Must be fast: called in its transaction. */
  triggersOf(event: RecordedEvent): readonly string[];
  /** Triggers of an event for system hooks. */
  systemTriggersOf(event: RecordedEvent): readonly string[];
  /**
   * Messages of an event to hooks of projects and groups.
   * @param retried whether pipelines include retried jobs
   */
  hookEventsOf(deps: Deps, event: RecordedEvent, retried?: boolean): Promise<readonly HookMessage[]>;
  /** Messages of an event to system hooks. */
  systemEventsOf(deps: Deps, event: RecordedEvent): Promise<readonly HookMessage[]>;
}
