import { startsPipelines } from '../../core/change-cause.ts';
import type { Deps } from '../../deps.ts';
import { peel } from '../../git/revision.ts';
import type { RecordedEvent } from '../../jobs/events.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { createPipeline } from './create.ts';
import { parsePushOptions } from './push-options.ts';

/** A push that cannot be looked at holds up those after it to the same ref: not for ever. */
const MAX_ATTEMPTS = 6;

interface PushedRef {
  ref: string;
  old: string | null;
  new: string;
}

/** Makes pipelines of pushes, whoever moved the refs: git, a merge, a commit through the API. */
export function registerPushes(deps: Deps): void {
  deps.events.subscribe({
    name: 'ci.push',
    types: ['push'],
    lane: 'ci',
    maxAttempts: MAX_ATTEMPTS,
    wants: ({ actor_id, payload: { project_id, updates, via } }) => {
      if (actor_id === null || !startsPipelines(via)) return false;
      const pushed = updates.filter(
        (update): update is PushedRef => update.new !== null && /^refs\/(heads|tags)\//.test(update.ref),
      );
      return pushed
        .slice(0, deps.settings.now.git_push_pipeline_limit)
        .map((data) => ({ orderKey: `ci.push:${project_id}:${data.ref}`, data }));
    },
    handle: (event, { data }) => followPush(deps, event, data as PushedRef),
  });
}

async function followPush(
  deps: Deps,
  { id, actor_id, payload: { project_id, push_options } }: RecordedEvent<'push'>,
  { ref, old, new: oid }: PushedRef,
): Promise<void> {
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', project_id).executeTakeFirst();
  if (project === undefined || project.pending_delete === 1 || actor_id === null) return;
  // A tag may name what is no commit, and a push what is gone by now.
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
  if (texts.length > 0 && !filtered) deps.log.log('debug', 'a push made no pipeline', { project_id, ref, texts });
}
