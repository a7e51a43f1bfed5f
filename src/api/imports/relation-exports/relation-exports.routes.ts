import { type Static, Type } from 'typebox';
import { ApiError, invalidParameter, refused } from '../../../core/core.errors.ts';
import { EXPORT_STATUS } from '../../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../../deps.ts';
import { Dialectal, inDialect } from '../../../http/dialect.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { exportsOf, findBatch, findExport } from '../../../import-export/exports/export.find.ts';
import { startExport } from '../../../import-export/exports/export.start.ts';
import { fileNameIn } from '../../../import-export/relations/index.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { inSource, revalidateSourceAbility, type Source, type SourceKind } from '../../spaces/index.ts';
import { recordExport } from '../audit-exports.ts';
import { downloadInput, startInput, statusInput } from './relation-exports.inputs.ts';
import { RelationExportStatus } from './relation-exports.responses.ts';
import { presentExports } from './relation-exports.views.ts';

const EXPORT = { project: 'export_project', group: 'export_group' } as const;
const missing = (what: string) => new ApiError(404, `${what} not found`);

/** Returns the requested file. @throws ApiError 400, 404 in the platform's words */
async function findFile(
  deps: Deps,
  source: Source,
  { relation, batched = false, batch_number: number }: Static<typeof downloadInput>,
): Promise<StoredBlob> {
  const relationExport = await findExport(deps.db, source, relation);
  if (relationExport === undefined) throw missing('Export');
  if (batched !== (relationExport.batched === 1))
    throw refused(batched ? 'Export is not batched' : 'Export is batched');
  if (!batched) {
    const { sha256, size, status } = relationExport;
    if (status !== EXPORT_STATUS.finished || sha256 === null || size === null) throw missing('Export file');
    if ((await deps.blobs.stat(sha256)) === null) throw missing('Export file');
    return { sha256, size };
  }
  if (number === undefined) throw invalidParameter('batch_number is missing');
  const batch = await findBatch(deps.db, relationExport.id, number);
  if (batch === undefined) throw missing('Batch');
  if ((await deps.blobs.stat(batch.sha256)) === null) throw missing('Batch file');
  return batch;
}

function routesOf(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/export_relations`;
  const shared = { tag: 'Relation exports', access: inSource(kind, EXPORT) } as const;
  return [
    route({
      ...shared,
      method: 'POST',
      path,
      operationId: kind === 'group' ? 'startGroupRelationsExport' : 'startProjectRelationsExport',
      summary: `Start the export of the relations of a ${kind}`,
      description: `Creates one file for each relation of the ${kind}, in the background. Previous exports are deleted.`,
      input: startInput,
      success: { status: 202, schema: Type.Object({ message: Type.String() }) },
      handler: async ({ deps, caller, source, input }) => {
        await deps.db.transaction().execute(async (db) => {
          await revalidateSourceAbility(deps, db, caller, source, EXPORT);
          const userId = caller.user?.id ?? null;
          await startExport(deps, db, { portable: source, batched: input.batched ?? false, userId });
          await recordExport(deps, db, caller, 'relation_export_created', source);
        });
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: `${path}/status`,
      operationId: kind === 'group' ? 'getGroupRelationsExportStatus' : 'getProjectRelationsExportStatus',
      summary: `Get the status of the export of the relations of a ${kind}`,
      input: statusInput,
      success: { status: 200, schema: Dialectal('relation_export_status', RelationExportStatus) },
      errors: [404],
      handler: async ({ deps, source, input }) => {
        if (input.relation === undefined) return presentExports(deps.db, await exportsOf(deps.db, source));
        const relationExport = await findExport(deps.db, source, input.relation);
        if (relationExport === undefined) throw missing('Export');
        const [shown] = await presentExports(deps.db, [relationExport]);
        return inDialect(deps.config.dialect, 'relation_export_status', shown!);
      },
    }),
    route({
      ...shared,
      ...blobSuccess('application/gzip', 'Objects as JSON lines, or an archive of files; compressed with gzip.'),
      method: 'GET',
      path: `${path}/download`,
      operationId: kind === 'group' ? 'downloadGroupRelationExport' : 'downloadProjectRelationExport',
      summary: `Download a relation of a ${kind}`,
      input: downloadInput,
      errors: [400, 404, 416],
      handler: async (c) => {
        const { deps, caller, source, input } = c;
        const file = await findFile(deps, source, input);
        const exported = { kind, id: source.id, relation: input.relation };
        await deps.db
          .transaction()
          .execute((db) => recordExport(deps, db, caller, 'relation_export_download_started', exported));
        return sendBlob(c, file, fileNameIn(kind, input.relation), 'application/gzip');
      },
    }),
  ];
}

/** Relation exports of groups and projects, for import by another server (part 2, 4.7). */
export const relationExportRoutes: readonly Route[] = [...routesOf('group'), ...routesOf('project')];
