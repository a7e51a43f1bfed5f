import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject } from '../../api.access.ts';
import { createComment, updateComment } from '../quick-actions/quick-actions.comment.ts';
import { commandsOnly, presentComment, QUICK_ACTIONS_DESCRIPTION } from '../quick-actions/quick-actions.responses.ts';
import { NOTEABLE_KINDS, type NoteableKind } from './noteable.ts';
import { noteableParams, onNote, onNoteable } from './notes.access.ts';
import { findNote } from './notes.find.ts';
import { noteList } from './notes.list.ts';
import { Note } from './notes.responses.ts';
import { requireInternal } from './notes.rights.ts';
import { presentNotes, presentOne } from './notes.views.ts';
import { countNote, MAX_NOTE, removeNote } from './notes.writes.ts';

const note_id = Type.Integer({ description: 'Id of the note.' });
const internal = Type.Optional(
  Type.Boolean({ description: 'Whether only members with at least the Planner role see the note.' }),
);

function routesOf(kind: NoteableKind) {
  const { noun } = kind;
  const acts = kind.segment !== 'snippets';
  const path = `/projects/:id/${kind.segment}/:noteable_id/notes`;
  const ofNoteable = Type.Object(noteableParams(kind));
  const ofNote = Type.Object({ ...noteableParams(kind), note_id });
  const readers = inProject(kind.read, { anonymous: true });
  return [
    route({
      method: 'GET',
      path,
      summary: `List the notes on a ${noun}`,
      ...(kind.segment === 'merge_requests' ? { credentials: API_AND_JOB_TOKENS } : {}),
      access: readers,
      params: ofNoteable,
      input: Type.Object({
        order_by: Type.Optional(Enum(['created_at', 'updated_at'], { default: 'created_at' })),
        sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
        activity_filter: Type.Optional(
          Enum(['all_notes', 'only_comments', 'only_activity'], {
            default: 'all_notes',
            description: '`only_comments`: notes of users; `only_activity`: system notes.',
          }),
        ),
        ...pagination,
      }),
      success: { status: 200, schema: Type.Array(Note) },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        const { order_by = 'created_at', sort = 'desc', activity_filter = 'all_notes' } = c.input;
        const query = await noteList(c.deps, c, noteable, { order_by, sort, activity_filter });
        return c.page(query, (rows) => presentNotes(c.deps, noteable, rows));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:note_id`,
      summary: `Get a note on a ${noun}`,
      ...(kind.segment === 'merge_requests' ? { credentials: API_AND_JOB_TOKENS } : {}),
      access: readers,
      params: ofNote,
      success: { status: 200, schema: Note },
      errors: [404],
      handler: async (c) => {
        const noteable = await kind.find(c.deps, c, c.params.noteable_id);
        return presentOne(c.deps, noteable, await findNote(c.deps, c, noteable, c.params.note_id));
      },
    }),
    route({
      method: 'POST',
      path,
      summary: `Comment on a ${noun}`,
      ...(acts ? { description: QUICK_ACTIONS_DESCRIPTION, otherSuccess: commandsOnly } : {}),
      access: onNoteable(kind, kind.comment),
      input: Type.Object({
        body: Type.String({ maxLength: MAX_NOTE, description: 'Text of the note, Markdown.' }),
        internal,
        confidential: Type.Optional(Type.Boolean({ description: 'Old name of `internal`.' })),
        created_at: Type.Optional(Instant({ description: 'Time of creation; owners and administrators only.' })),
        merge_request_diff_head_sha: Type.Optional(
          Type.String({ description: 'Head of the merge request as the author knows it; required by `/merge`.' }),
        ),
      }),
      success: { status: 201, schema: Note },
      errors: [400, 403, 404, 429],
      handler: async (c) => {
        const { noteable } = c;
        countNote(c.deps, c);
        const internal = c.input.internal ?? c.input.confidential ?? false;
        requireInternal(c, noteable, internal);
        const { body, created_at: createdAt } = c.input;
        const diffHeadSha = c.input.merge_request_diff_head_sha;
        const draft = { body, internal, createdAt, type: null };
        return presentComment(c, noteable, await createComment(c.deps, c, noteable, draft, { diffHeadSha }));
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:note_id`,
      summary: `Change a note on a ${noun}`,
      ...(acts ? { description: QUICK_ACTIONS_DESCRIPTION, otherSuccess: commandsOnly } : {}),
      access: onNote(kind),
      input: Type.Object({
        body: Type.Optional(Filled({ maxLength: MAX_NOTE, description: 'Text of the note, Markdown.' })),
      }),
      success: { status: 200, schema: Note },
      errors: [400, 403, 404],
      handler: async (c) => {
        const { noteable, note } = c;
        const { body } = c.input;
        if (body === undefined) return presentOne(c.deps, noteable, note);
        return presentComment(c, noteable, await updateComment(c.deps, c, noteable, note, body));
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:note_id`,
      summary: `Delete a note on a ${noun}`,
      access: onNote(kind),
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

export const noteRoutes = Object.values(NOTEABLE_KINDS).flatMap(routesOf);
