import type { DomainEventType } from '../core/core.domain-events.ts';
import type { Deps } from '../deps.ts';
import type { RecordedEvent } from '../jobs/jobs.events.ts';

/** Something that hooks are told. */
export interface HookMessage {
  /** `push` where hooks say `push_events`. */
  trigger: string;
  /** `Push Hook` and the like. */
  header: string;
  /** Of pushes to a branch: its name, for filters. */
  branch?: string;
  payload: object;
}

/** What hooks are told of which events: the payloads' part of the API says so. */
export interface HookSource {
  /** Kinds of events that anything is told of. */
  types: readonly DomainEventType[];
  /** Under which triggers hooks of projects and groups may be told of an event. Quick: asked in its transaction. */
  triggersOf(event: RecordedEvent): readonly string[];
  /** The same of system hooks. */
  systemTriggersOf(event: RecordedEvent): readonly string[];
  /**
   * What hooks of projects and groups are told of it.
   * @param retried whether pipelines are told with jobs that have been tried again
   */
  hookEventsOf(deps: Deps, event: RecordedEvent, retried?: boolean): Promise<readonly HookMessage[]>;
  /** What system hooks are told of it. */
  systemEventsOf(deps: Deps, event: RecordedEvent): Promise<readonly HookMessage[]>;
}
