import type { ReleaseFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { releaseUrl, sourcesOf } from '../../delivery/index.ts';
import { commitAt, commitPayload, webUrlOf } from './commits.payload.ts';
import { utcText } from './payloads.times.ts';
import { fullProjectPayload, projectOf } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';

const ACTIONS = { 'release.created': 'create', 'release.updated': 'update', 'release.destroyed': 'delete' } as const;

/** Hook payload for a release, in its state at the event. */
export async function releaseHookEvent(
  deps: Deps,
  { type, payload }: RecordedEvent<keyof typeof ACTIONS>,
): Promise<BuiltPayload | undefined> {
  return build(deps, payload.project_id, payload.release_id, payload.release, ACTIONS[type]);
}

async function build(
  deps: Deps,
  projectId: number,
  id: number,
  release: ReleaseFacts,
  action: string,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, projectId);
  if (project === undefined) return undefined;
  const links = await deps.db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', id)
    .orderBy('id', 'desc')
    .execute();
  const sources = sourcesOf(deps, project.row, release.tag);
  const commit = release.sha === null ? null : await commitAt(repositoryOf(deps, project.row), release.sha);
  return {
    projectId,
    payload: {
      id,
      created_at: utcText(release.created_at),
      description: release.description,
      name: release.name ?? release.tag,
      released_at: utcText(release.released_at),
      tag: release.tag,
      object_kind: 'release',
      project: fullProjectPayload(deps, project),
      url: releaseUrl(deps, project.row, release.tag),
      action,
      assets: {
        count: links.length + sources.length,
        links: links.map(({ id, name, url, link_type }) => ({ id, external: true, link_type, name, url })),
        sources,
      },
      commit: commit === null ? null : commitPayload(commit, webUrlOf(deps, project.row.full_path)),
    },
  };
}

/** Returns the payload of the last release as if just created, for tests of hooks; undefined if there is none. */
export async function sampleRelease(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (await build(deps, projectId, row.id, row, 'create'));
}
