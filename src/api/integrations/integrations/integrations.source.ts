import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import type { HookMessage, HookSource } from '../../../webhooks/webhooks.source.ts';
import { hookSource } from '../hooks/hooks.source.ts';
import { projectOf, shortProject } from '../payloads/projects.payload.ts';

const ARCHIVED = 'job.trace_archived';

const isArchived = (event: RecordedEvent): event is RecordedEvent<typeof ARCHIVED> => event.type === ARCHIVED;

/** Payload for an archived job log. */
async function archivedTrace(
  deps: Deps,
  { payload: { job_id, pipeline_id, project_id } }: RecordedEvent<typeof ARCHIVED>,
): Promise<HookMessage[]> {
  const project = await projectOf(deps, project_id);
  if (project === undefined) return [];
  const payload = {
    object_kind: 'archive_trace',
    trace_url: `${deps.externalUrl()}/${project.row.full_path}/-/jobs/${job_id}/raw`,
    build_id: job_id,
    pipeline_id,
    project: shortProject(deps, project),
  };
  return [{ trigger: 'archive_trace', header: 'Archive Trace Hook', payload }];
}

/** Payloads of integrations by event: those of webhooks, and of archived job logs. */
export const integrationSource: HookSource = {
  ...hookSource,
  types: [...hookSource.types, ARCHIVED],
  triggersOf: (event) => (isArchived(event) ? ['archive_trace'] : hookSource.triggersOf(event)),
  hookEventsOf: async (deps, event, retried) =>
    isArchived(event) ? archivedTrace(deps, event) : hookSource.hookEventsOf(deps, event, retried),
};
