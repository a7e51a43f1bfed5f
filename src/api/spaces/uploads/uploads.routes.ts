import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { Upload } from '../../../db/tables/uploads.table.ts';
import { type Route, route, type Success } from '../../../http/http.route.ts';
import { usersById } from '../../identity/index.ts';
import { userOf } from '../projects/user-of.ts';
import { inSource, type Source, type SourceKind } from '../spaces.source.ts';
import { listUploads, newUpload, uploadAddress, uploadId } from './uploads.inputs.ts';
import { markdownOf, SHOWN_TYPES } from './uploads.names.ts';
import { NewUpload, UploadEntity } from './uploads.responses.ts';
import { sendUpload } from './uploads.send.ts';
import { createUpload, deleteUpload, findUpload, uploadsOf } from './uploads.writes.ts';

const SEE = { project: 'read_project', group: 'read_group' } as const;
const UPLOAD = { project: 'upload_file', group: 'upload_group_file' } as const;
const MANAGE = { project: 'admin_uploads', group: 'admin_group_uploads' } as const;
const BYTES: Success = { status: 200, contentType: SHOWN_TYPES };

function presentNew(source: Source, { id, secret, filename }: Upload) {
  const url = `/uploads/${secret}/${encodeURIComponent(filename)}`;
  return { id, url, full_path: `/-/${source.kind}/${source.id}${url}`, ...markdownOf(filename, url) };
}

function listRoutes(kind: SourceKind, path: string): Route[] {
  return [
    route({
      method: 'POST',
      path,
      summary: `Upload a file to a ${kind}`,
      description: 'Issues, merge requests and comments can then refer to the file.',
      access: inSource(kind, UPLOAD),
      bodyLimit: 'file',
      input: newUpload,
      success: { status: 201, schema: NewUpload },
      errors: [413],
      handler: async ({ deps, caller, source, input }) =>
        presentNew(source, await createUpload(deps, source, userOf(caller).user, input.file)),
    }),
    route({
      method: 'GET',
      path,
      summary: `List the uploads of a ${kind}`,
      access: inSource(kind, MANAGE),
      input: listUploads,
      success: { status: 200, schema: Type.Array(UploadEntity) },
      handler: (c) =>
        c.page(uploadsOf(c.deps.db, c.source).orderBy('id', 'desc'), async (rows) => {
          const users = await usersById(c.deps.db, pluck(rows, 'uploaded_by_id'));
          return rows.map(({ id, size, filename, created_at, uploaded_by_id }) => {
            const user = users.get(uploaded_by_id ?? 0);
            const by = user === undefined ? null : { id: user.id, name: user.name, username: user.username };
            return { id, size, filename, created_at, uploaded_by: by };
          });
        }),
    }),
  ];
}

function fileRoutes(kind: SourceKind, path: string): Route[] {
  const manage = inSource(kind, MANAGE);
  const noContent: Success = { status: 204, empty: true };
  return [
    route({
      method: 'GET',
      path: `${path}/:upload_id`,
      summary: `Download an upload of a ${kind}`,
      access: manage,
      params: uploadId,
      success: BYTES,
      handler: async (c) => sendUpload(c, await findUpload(c.deps.db, c.source, c.params), 'save'),
    }),
    route({
      method: 'GET',
      path: `${path}/:secret/:filename`,
      summary: `Download an upload of a ${kind} by secret and file name`,
      access: inSource(kind, SEE),
      params: uploadAddress,
      success: BYTES,
      handler: async (c) => sendUpload(c, await findUpload(c.deps.db, c.source, c.params), 'save'),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:upload_id`,
      summary: `Delete an upload of a ${kind}`,
      access: manage,
      params: uploadId,
      success: noContent,
      handler: async ({ deps, source, params }) => deleteUpload(deps, await findUpload(deps.db, source, params)),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:secret/:filename`,
      summary: `Delete an upload of a ${kind} by secret and file name`,
      access: manage,
      params: uploadAddress,
      success: noContent,
      handler: async ({ deps, source, params }) => deleteUpload(deps, await findUpload(deps.db, source, params)),
    }),
    route({
      method: 'GET',
      root: true,
      path: `/-/${kind}/:id/uploads/:secret/:filename`,
      operationId: `download${kind === 'project' ? 'Project' : 'Group'}Upload`,
      tag: 'Uploads',
      summary: `Show an upload of a ${kind}`,
      description: `Also served below the web URL of the ${kind}.`,
      access: inSource(kind, SEE, { anonymous: true }),
      params: uploadAddress,
      success: BYTES,
      handler: async (c) => sendUpload(c, await findUpload(c.deps.db, c.source, c.params), 'show'),
    }),
  ];
}

/** Uploads of projects and groups. */
export const uploadRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((kind) => {
  const path = `/${kind}s/:id/uploads`;
  return [...listRoutes(kind, path), ...fileRoutes(kind, path)];
});
