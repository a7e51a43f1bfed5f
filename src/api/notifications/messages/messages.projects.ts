import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/trackers.issue-links.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { projectUrl } from '../../code/index.ts';
import { releaseUrl } from '../../delivery/index.ts';
import { usersById } from '../../identity/index.ts';
import type { Dispatch } from '../mails/dispatch.ts';
import { line, markdownBlock } from '../mails/notification-mails.block.ts';
import { projectHeaders } from '../mails/notification-mails.headers.ts';
import { projectContextOf } from '../recipients/project-context.ts';
import { managersOf } from '../recipients/recipients.managers.ts';
import { watchersOf } from '../recipients/recipients.watchers.ts';
import { actorName } from './messages.changes.ts';
import { baseOf } from './messages.issues.ts';

/** Mails about a new release, for watchers of the project and users who enabled the event. */
export async function releaseMessages(
  deps: Deps,
  { payload, actor_id }: RecordedEvent<'release.created'>,
): Promise<Dispatch | undefined> {
  const { release_id: id, project_id: projectId } = payload;
  const release = await deps.db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst();
  const place = release && (await projectContextOf(deps.db, projectId));
  if (release === undefined || place === undefined) return undefined;
  const actor = (await usersById(deps.db, [actor_id])).get(actor_id ?? 0) ?? null;
  const { tag, name, description } = release;
  const called = name === null || name === tag ? tag : `${name} - ${tag}`;
  const news = { eventKind: 'new_release', candidates: await watchersOf(deps, place), actorId: actor_id } as const;
  return {
    topic: { type: 'Project', id: projectId, ability: 'read_release' },
    parts: [
      {
        sentences: [
          line(`${actorName(actor)} released ${called}.`),
          ...(description
            ? [await markdownBlock(description, baseOf(deps, place), await issueLinksOf(deps, place.project.id))]
            : []),
        ],
        message: news,
      },
    ],
    draft: {
      subject: `${place.project.name} | New release: ${called}`,
      body: [],
      url: releaseUrl(deps, place.project, tag),
      thread: {},
      headers: projectHeaders(deps, place),
      followed: null,
      actor,
    },
  };
}

/** Mails about a moved project, for its managers. */
export async function projectMoveMessages(
  deps: Deps,
  { payload, actor_id }: RecordedEvent<'project.transferred'>,
): Promise<Dispatch | undefined> {
  const place = await projectContextOf(deps.db, payload.project_id);
  if (place === undefined) return undefined;
  const actor = (await usersById(deps.db, [actor_id])).get(actor_id ?? 0) ?? null;
  const { project } = place;
  const address = `${baseOf(deps, place)}.git`;
  return {
    topic: { type: 'Project', id: project.id, ability: 'read_project' },
    parts: [
      {
        sentences: [
          line(`${actorName(actor)} moved the project from ${payload.old_full_path} to ${project.full_path}.`),
          line(`To update a clone, run: git remote set-url origin ${address}`),
        ],
        message: { eventKind: 'moved_project', candidates: await managersOf(deps, place, 'watch'), actorId: actor_id },
      },
    ],
    draft: {
      subject: `${project.name} | Project was moved`,
      body: [],
      url: projectUrl(deps, project),
      thread: {},
      headers: projectHeaders(deps, place),
      followed: null,
      actor,
    },
  };
}

/** Mails about a permanently failed push mirror, for the managers of the project. */
export async function failedMirrorMessages(
  deps: Deps,
  { payload }: RecordedEvent<'remote_mirror.failed'>,
): Promise<Dispatch | undefined> {
  const place = await projectContextOf(deps.db, payload.project_id);
  if (place === undefined) return undefined;
  const { project } = place;
  return {
    topic: { type: 'Project', id: project.id, ability: 'admin_remote_mirror' },
    parts: [
      {
        sentences: [line(`A mirror of the project could not be updated: ${payload.error}`)],
        message: { eventKind: null, candidates: await managersOf(deps, place, 'mention'), actorId: null },
      },
    ],
    draft: {
      subject: `${project.name} | Remote mirror update failed`,
      body: [],
      url: projectUrl(deps, project),
      thread: {},
      headers: projectHeaders(deps, place),
      followed: null,
      actor: null,
    },
  };
}
