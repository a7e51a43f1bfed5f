import { Type } from 'typebox';
import { badRequest } from '../../../core/core.errors.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { DISCUSSION_KINDS, type NoteableKind } from '../notes/noteable.ts';
import { noteableParams, onNoteable } from '../notes/notes.access.ts';
import { reloadNote } from '../notes/notes.find.ts';
import { Discussion, Note } from '../notes/notes.responses.ts';
import { requireInternal, requireNoteChange, requireResolve } from '../notes/notes.rights.ts';
import { isResolvable, presentDiscussions, presentNotes, presentOne } from '../notes/notes.views.ts';
import { MAX_NOTE, removeNote } from '../notes/notes.writes.ts';
import { createComment, updateComment } from '../quick-actions/quick-actions.comment.ts';
import { commandsOnly, presentComment, QUICK_ACTIONS_DESCRIPTION } from '../quick-actions/quick-actions.responses.ts';
import { onDiscussion, onThreadNote } from './discussions.access.ts';
import { findDiscussion, listDiscussions, noteIn } from './discussions.find.ts';
import { reply, setResolved, threadStart } from './discussions.writes.ts';
import { PositionInput } from './position.ts';

const discussion_id = Type.String({ description: 'Id of the thread.' });
const note_id = Type.Integer({ description: 'Id of the note.' });
const body = Type.String({ maxLength: MAX_NOTE, description: 'Text of the note, Markdown.' });
const created_at = Type.Optional(Instant({ description: 'Time of creation; owners and administrators only.' }));

/** Description of texts with quick actions, if the noteable supports them. */
const acting = ({ segment }: NoteableKind) =>
  segment === 'snippets' ? {} : { description: QUICK_ACTIONS_DESCRIPTION, otherSuccess: commandsOnly };

function threadRoutesOf(kind: NoteableKind) {
  const { noun } = kind;
  const path = `/projects/:id/${kind.segment}/:noteable_id/discussions`;
  const ofNoteable = Type.Object(noteableParams(kind));
  const ofDiscussion = Type.Object({ ...noteableParams(kind), discussion_id });
  const readers = inProject(kind.read, { anonymous: true });
  return [
    route({
      method: 'GET',
      path,
      summary: `List the threads on a ${noun}`,
      access: readers,
      params: ofNoteable,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(Discussion) },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        return c.page(
          (page) => listDiscussions(c.deps, c, noteable, page),
          (discussions) => presentDiscussions(c.deps, noteable, discussions),
        );
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:discussion_id`,
      summary: `Get a thread on a ${noun}`,
      access: readers,
      params: ofDiscussion,
      success: { status: 200, schema: Discussion },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        const notes = await findDiscussion(c.deps, c, noteable, c.params.discussion_id);
        return (await presentDiscussions(c.deps, noteable, [notes]))[0];
      },
    }),
    route({
      method: 'POST',
      path,
      summary: `Start a thread on a ${noun}`,
      ...acting(kind),
      access: onNoteable(kind, kind.comment),
      input: Type.Object({
        body,
        created_at,
        position: Type.Optional(PositionInput),
        internal: Type.Optional(
          Type.Boolean({ description: 'Whether only members with at least the Planner role see the thread.' }),
        ),
        confidential: Type.Optional(Type.Boolean({ description: 'Old name of `internal`.' })),
        commit_id: Type.Optional(
          Filled({ maxLength: 64, description: 'Commit of the merge request to start the thread on.' }),
        ),
      }),
      success: { status: 201, schema: Discussion },
      errors: [400, 403, 404, 429],
      handler: async (c) => {
        const { noteable } = c;
        const internal = c.input.internal ?? c.input.confidential ?? false;
        requireInternal(c, noteable, internal);
        const draft = await threadStart(c.deps, c, c.project, noteable, { ...c.input, internal });
        const commented = await createComment(c.deps, c, noteable, draft);
        return presentComment(c, noteable, commented, async (note) => ({
          id: note.discussion_id,
          individual_note: false,
          notes: [await presentOne(c.deps, noteable, note, commented.changes)],
        }));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:discussion_id/notes`,
      summary: `List the notes of a thread on a ${noun}`,
      access: readers,
      params: ofDiscussion,
      success: { status: 200, schema: Type.Array(Note) },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        const notes = await findDiscussion(c.deps, c, noteable, c.params.discussion_id);
        return presentNotes(c.deps, noteable, notes);
      },
    }),
    route({
      method: 'POST',
      path: `${path}/:discussion_id/notes`,
      summary: `Reply to a thread on a ${noun}`,
      ...acting(kind),
      access: onDiscussion(kind, kind.comment),
      input: Type.Object({ body, created_at }),
      success: { status: 201, schema: Note },
      errors: [400, 403, 404, 429],
      handler: async (c) => {
        const { noteable, notes } = c;
        const { draft, before } = reply(c.deps, c, noteable, notes, c.input);
        return presentComment(c, noteable, await createComment(c.deps, c, noteable, draft, { before }));
      },
    }),
  ];
}

function threadNoteRoutesOf(kind: NoteableKind) {
  const { noun } = kind;
  const path = `/projects/:id/${kind.segment}/:noteable_id/discussions/:discussion_id/notes/:note_id`;
  const params = Type.Object({ ...noteableParams(kind), discussion_id, note_id });
  const readers = inProject(kind.read, { anonymous: true });
  return [
    route({
      method: 'GET',
      path,
      summary: `Get a note of a thread on a ${noun}`,
      access: readers,
      params,
      success: { status: 200, schema: Note },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        const notes = await findDiscussion(c.deps, c, noteable, c.params.discussion_id);
        return presentOne(c.deps, noteable, noteIn(notes, c.params.note_id));
      },
    }),
    route({
      method: 'PUT',
      path,
      summary: `Change or resolve a note of a thread on a ${noun}`,
      ...acting(kind),
      access: onThreadNote(kind, 'change_thread_note'),
      input: Type.Object({
        body: Type.Optional(Filled({ maxLength: MAX_NOTE, description: 'Text of the note, Markdown.' })),
        resolved: Type.Optional(Type.Boolean({ description: 'Whether the note is resolved; merge requests only.' })),
      }),
      rules: { exactlyOne: [['body', 'resolved']] },
      success: { status: 200, schema: Note },
      errors: [400, 403, 404],
      handler: async (c) => {
        const { noteable, note } = c;
        const { body, resolved } = c.input;
        if (body !== undefined) {
          await requireNoteChange(c, noteable, note);
          return presentComment(c, noteable, await updateComment(c.deps, c, noteable, note, body));
        }
        await requireResolve(c, noteable);
        if (!isResolvable(note)) throw badRequest('Note is not resolvable');
        await setResolved(c.deps, c, noteable, [note], resolved === true);
        return presentOne(c.deps, noteable, await reloadNote(c.deps.db, note.id));
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Delete a note of a thread on a ${noun}`,
      access: onThreadNote(kind, 'update_note'),
      success: { status: 204, empty: true },
      errors: [403, 404, 412],
      handler: async (c) => {
        const { noteable, note } = c;
        checkUnmodifiedSince(c.request, note.updated_at);
        await removeNote(c.deps, c, noteable, note.id);
      },
    }),
  ];
}

const mergeRequests = DISCUSSION_KINDS.merge_requests;
const resolveRoute = route({
  method: 'PUT',
  path: '/projects/:id/merge_requests/:noteable_id/discussions/:discussion_id',
  summary: 'Resolve a thread on a merge request',
  description: 'Resolves or reopens the thread.',
  access: onDiscussion(mergeRequests, 'resolve_note'),
  input: Type.Object({ resolved: Type.Boolean({ description: 'Whether all its notes are resolved.' }) }),
  success: { status: 200, schema: Discussion },
  errors: [403, 404],
  handler: async (c) => {
    const { noteable, notes } = c;
    await setResolved(c.deps, c, noteable, notes, c.input.resolved);
    const now = await findDiscussion(c.deps, c, noteable, notes[0]!.discussion_id);
    return (await presentDiscussions(c.deps, noteable, [now]))[0];
  },
});

export const discussionRoutes = [
  ...Object.values(DISCUSSION_KINDS).flatMap((kind) => [...threadRoutesOf(kind), ...threadNoteRoutesOf(kind)]),
  resolveRoute,
];
