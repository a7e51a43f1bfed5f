import { startsPipelines } from '../../core/change-cause.ts';
import type { PushedRef } from '../../core/event-payloads.ts';
import type { Deps } from '../../deps.ts';
import { peel } from '../../git/repository/index.ts';
import type { RecordedEvent } from '../../jobs/jobs.events.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { recordConfigState } from './configured.ts';
import { createPipeline, hasSkipDirective } from './pipeline-creation.create.ts';
import { parsePushOptions } from './pipeline-creation.push-options.ts';

/** Maximum number of attempts, since a failing push blocks later ones to the same ref. */
const MAX_ATTEMPTS = 6;

interface Pushed {
  ref: string;
  old: string | null;
  new: string;
}

/** Whether a push of a ref can create a pipeline, including a skipped one. */
const mayMakeOne = ({ configured, filtered, commit }: PushedRef): boolean =>
  (configured !== false && filtered !== true) || commit === undefined || hasSkipDirective(commit.message);

/** Creates pipelines for ref changes from any source: git, merges, commits through the API. */
export function registerPushes(deps: Deps): void {
  deps.refChanges.project.facts.push(recordConfigState(deps));
  deps.events.subscribe({
    name: 'ci.push',
    types: ['push'],
    lane: 'ci',
    maxAttempts: MAX_ATTEMPTS,
    wants: ({ actor_id, payload: { project_id, updates, via, push_options } }) => {
      if (actor_id === null || !startsPipelines(via)) return false;
      return updates
        .filter(({ ref, new: oid }) => oid !== null && /^refs\/(heads|tags)\//.test(ref))
        .slice(0, deps.settings.now.git_push_pipeline_limit)
        .filter((update) => push_options.length > 0 || mayMakeOne(update))
        .map(({ ref, old, new: oid }) => ({ orderKey: `ci.push:${project_id}:${ref}`, data: { ref, old, new: oid } }));
    },
    handle: (event, { data }) => followPush(deps, event, data as Pushed),
  });
}

async function followPush(
  deps: Deps,
  { id, actor_id, payload: { project_id, push_options } }: RecordedEvent<'push'>,
  { ref, old, new: oid }: Pushed,
): Promise<void> {
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', project_id).executeTakeFirst();
  if (project === undefined || project.pending_delete === 1 || actor_id === null) return;
  // A tag may not point to a commit, and the pushed commit may no longer exist.
  const sha = await peel(repositoryOf(deps, project), oid);
  if (sha === null) return;
  const { skip, variables, inputs } = parsePushOptions(push_options);
  const { texts, filtered } = await createPipeline(deps, {
    ...{ ref, sha, skip, variables, inputs },
    projectId: project_id,
    source: 'push',
    userId: actor_id,
    beforeSha: old,
    origin: `push:${id}:${ref}`,
  });
  if (texts.length > 0 && !filtered) deps.log.log('debug', 'a push created no pipeline', { project_id, ref, texts });
}
