import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { Deps } from '../../../deps.ts';
import { closeByMergeRequest, syncClosingIssues } from './references.closing.ts';
import { readPush } from './references.pushes.ts';
import { referenceScopeOf } from './references.source.ts';
import { readDescription, readNote } from './texts.ts';
import { actorOf } from './viewer.ts';

/** Whether a change of these attributes can change the references of a description. */
const changesText = (changes: Record<string, unknown>): boolean => 'title' in changes || 'description' in changes;

/** Whether a text may contain references: a sigil or a URL. */
const mayName = (text: string): boolean => /[#!@]|:\/\//.test(text);

/** As `mayName`, for title and description; true for events of earlier versions, which lack them. */
const mayRefer = (facts: { title: string; description: string | null } | undefined): boolean =>
  facts === undefined || mayName(facts.title) || mayName(facts.description ?? '');

type Described = DomainEvents['merge_request.created'] | DomainEvents['merge_request.updated'];

const movesBranches = (payload: Described): boolean =>
  'changes' in payload && ('target_branch' in payload.changes || payload.new_sha != null);

/** Registers the processing of references in texts: mentions, cross references, and closing of issues. */
export function registerReferences(deps: Deps): void {
  const { db, events } = deps;
  events.subscribe({
    name: 'references.issue',
    types: ['issue.created', 'issue.updated'],
    wants: ({ payload }) => ('changes' in payload ? changesText(payload.changes) : mayRefer(payload.issue)),
    handle: ({ payload, actor_id }) => readDescription(deps, 'Issue', payload.issue_id, actor_id),
  });
  events.subscribe({
    name: 'references.merge_request',
    types: ['merge_request.created', 'merge_request.updated'],
    // Messages of its commits may close issues as well.
    wants: ({ payload }) => !('changes' in payload) || changesText(payload.changes) || movesBranches(payload),
    handle: async ({ payload, actor_id }) => {
      const { merge_request_id: id } = payload;
      const text = !('changes' in payload) || changesText(payload.changes);
      if (text) await readDescription(deps, 'MergeRequest', id, actor_id);
      if (text || movesBranches(payload)) await followClosing(deps, id, actor_id);
    },
  });
  events.subscribe({
    name: 'references.snippet',
    types: ['snippet.created', 'snippet.updated'],
    handle: ({ payload, actor_id }) => readDescription(deps, 'Snippet', payload.snippet_id, actor_id),
  });
  events.subscribe({
    name: 'references.note',
    types: ['note.created', 'note.updated'],
    wants: ({ type, payload: { note } }) =>
      note === undefined || (note.system === 0 && (type === 'note.updated' || mayName(note.note))),
    handle: ({ payload, actor_id }) => readNote(deps, payload.note_id, actor_id),
  });
  events.subscribe({
    name: 'references.push',
    types: ['push'],
    wants: ({ payload }) =>
      payload.updates.some(
        ({ ref, new: oid, commit }) =>
          oid !== null && ref.startsWith('refs/heads/') && (commit === undefined || mayName(commit.message)),
      ),
    handle: async ({ payload, actor_id, created_at }) => {
      const pusher = await actorOf(deps, actor_id);
      const scope = await referenceScopeOf(deps, db, payload.project_id);
      if (pusher !== undefined && scope !== undefined) await readPush(deps, pusher, scope, payload, created_at);
    },
  });
  events.subscribe({
    name: 'references.merged',
    types: ['merge_request.merged'],
    handle: async ({ payload, actor_id, created_at }) => {
      const merger = await actorOf(deps, actor_id);
      const described = await mergeRequestOf(deps, payload.merge_request_id);
      if (merger === undefined || described === undefined) return;
      await closeByMergeRequest(deps, merger, described.home, described.mergeRequest, created_at);
    },
  });
}

async function mergeRequestOf(deps: Deps, id: number) {
  const query = deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id);
  const mergeRequest = await query.executeTakeFirst();
  const scope = mergeRequest && (await referenceScopeOf(deps, deps.db, mergeRequest.project_id));
  return mergeRequest && scope && { mergeRequest, home: scope };
}

/**
 * Updates the issues that a merge request closes: those that the user who changed it may see, or its author for changes
 * by the system.
 */
async function followClosing(deps: Deps, id: number, actorId: number | null): Promise<void> {
  const described = await mergeRequestOf(deps, id);
  const viewer = described && (await actorOf(deps, actorId ?? described.mergeRequest.author_id));
  if (viewer !== undefined) await syncClosingIssues(deps, viewer, described!.home, described!.mergeRequest);
}
