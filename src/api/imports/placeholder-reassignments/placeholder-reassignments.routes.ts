import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { invalidParameter, refused } from '../../../core/core.errors.ts';
import { csvRow } from '../../../core/csv.ts';
import { inBatches } from '../../../db/in-batches.ts';
import type { Deps } from '../../../deps.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import { route } from '../../../http/http.route.ts';
import { Upload } from '../../../http/http.schema.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { inGroup, onServer } from '../../api.access.ts';
import { acceptOrRejectReassignment, findRequestedReassignment } from './accept-or-reject.ts';
import { REASSIGNABLE } from './placeholder-reassignments.assign.ts';
import { presentSourceUser, SourceUser } from './placeholder-reassignments.responses.ts';
import { REASSIGNMENT_CSV } from './process-csv.ts';
import { COLUMNS, csvRowOf, parseReassignmentCsv } from './reassignment-csv.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const BATCH_SIZE = 500;
const STREAM_BYTES = 1024 * 1024;

const tag = 'Placeholder reassignments';
const path = '/groups/:id/placeholder_reassignments';
const requestParams = Type.Object({
  namespace_id: Type.Integer({ description: 'Id of the top-level group of the import.' }),
  token: Type.String({ minLength: 1, maxLength: 64, description: 'Token from the mail.' }),
});
const web = { root: true, tag, params: requestParams } as const;

const waitingIn = ({ db }: Deps, groupId: number) =>
  db
    .selectFrom('import_source_users')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .where('status', 'in', REASSIGNABLE);

async function* sheetOf(deps: Deps, groupId: number): AsyncGenerator<string> {
  yield csvRow(COLUMNS);
  for await (const rows of inBatches(waitingIn(deps, groupId), BATCH_SIZE, 'id')) {
    if (rows.length > 0) yield rows.map(csvRowOf).join('');
  }
}

/** Reads the text of the uploaded CSV file. @throws ApiError 400, 422 */
async function textOf(file: UploadedFile | string): Promise<string> {
  if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
  if (!file.filename.toLowerCase().endsWith('.csv')) {
    throw refused('You must upload a CSV file with a .csv file extension.', 422);
  }
  if (file.size > MAX_BYTES) throw refused(`The CSV file is too large (maximum is ${MAX_BYTES} bytes).`, 422);
  return readFile(file.path, 'utf8');
}

/** Reassignment of contributions of users of other servers (part 2, 4.11). */
export const placeholderReassignmentRoutes = [
  route({
    method: 'GET',
    path,
    tag,
    operationId: 'getGroupPlaceholderReassignments',
    summary: 'Download the placeholder users awaiting reassignment as CSV',
    description: 'Fill in the last two columns and upload the file.',
    access: inGroup('admin_placeholder_reassignments'),
    success: { status: 200, contentType: 'text/csv; charset=utf-8', description: 'One line per placeholder user.' },
    errors: [422],
    handler: async (c) => {
      const { deps, group, reply } = c;
      const [first] = await waitingIn(deps, group.id).limit(1).execute();
      if (first === undefined) throw refused('No placeholder users are awaiting reassignment.', 422);
      const seconds = Math.floor(deps.clock.now().getTime() / 1_000);
      const name = `placeholder_reassignments_for_group_${group.id}_${seconds}.csv`;
      reply.header('Content-Type', 'text/csv; charset=utf-8');
      reply.header('Content-Disposition', contentDisposition('attachment', name));
      return c.stream(STREAM_BYTES, () => Readable.from(sheetOf(deps, group.id), { objectMode: false }));
    },
  }),
  route({
    method: 'POST',
    path,
    tag,
    operationId: 'reassignGroupPlaceholders',
    summary: 'Reassign placeholder users from a CSV file',
    description: 'The file is processed in the background. Each user is asked by mail to accept.',
    access: inGroup('admin_placeholder_reassignments'),
    input: Type.Object({ file: Upload({ description: 'The completed CSV file.' }) }),
    bodyLimit: 'file',
    success: { status: 201, schema: Type.Object({ message: Type.String() }) },
    errors: [400, 413, 422],
    handler: async ({ deps, caller, group, input }) => {
      const rows = parseReassignmentCsv(await textOf(input.file));
      await deps.db.transaction().execute(async (db) => {
        const { caller: now } = await revalidateGroupAbility(
          deps,
          db,
          caller,
          group.id,
          'admin_placeholder_reassignments',
        );
        await deps.jobs.enqueue(db, REASSIGNMENT_CSV, { group_id: group.id, user_id: now.user!.id, rows });
      });
      return { message: 'The file is being processed and you will receive an email when completed.' };
    },
  }),
  route({
    ...web,
    method: 'GET',
    path: '/import/source_users/:namespace_id/:token',
    operationId: 'getAskedReassignment',
    summary: 'Get the reassignment that the caller is asked to accept',
    access: onServer('answer_reassignment'),
    success: { status: 200, schema: SourceUser },
    errors: [404],
    handler: async ({ deps, caller, params }) =>
      presentSourceUser(await findRequestedReassignment(deps.db, caller, params)),
  }),
  ...(['accept', 'decline'] as const).map((verb) =>
    route({
      ...web,
      method: 'POST',
      path: `/import/source_users/:namespace_id/:token/${verb}`,
      operationId: `${verb}Reassignment`,
      summary: `${verb === 'accept' ? 'Accept' : 'Decline'} the reassignment of contributions`,
      access: onServer('answer_reassignment'),
      success: { status: 200, schema: SourceUser },
      errors: [404],
      handler: async ({ deps, caller, params }) =>
        presentSourceUser(await acceptOrRejectReassignment(deps, caller, params, verb === 'accept')),
    }),
  ),
];
