import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { projectOf, shortProject } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';

/** Payload for an archived job log. */
export async function archivedTraceHookEvent(
  deps: Deps,
  { payload: { job_id, pipeline_id, project_id } }: RecordedEvent<'job.trace_archived'>,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, project_id);
  if (project === undefined) return undefined;
  const payload = {
    object_kind: 'archive_trace',
    trace_url: `${deps.externalUrl()}/${project.row.full_path}/-/jobs/${job_id}/raw`,
    build_id: job_id,
    pipeline_id,
    project: shortProject(deps, project),
  };
  return { projectId: project_id, payload };
}
