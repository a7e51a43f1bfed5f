import type { TSchema } from 'typebox';
import { BulkImport, BulkImportEntity, BulkImportFailure } from '../bulk-imports/bulk-imports.responses.ts';
import { SourceUser } from '../placeholder-reassignments/placeholder-reassignments.responses.ts';
import { ProjectExport } from '../project-exports/project-exports.responses.ts';
import { FailedRelation, ProjectImport } from '../project-imports/project-imports.responses.ts';
import { RelationExportBatch, RelationExportStatus } from '../relation-exports/relation-exports.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  BulkImport,
  BulkImportEntity,
  BulkImportFailure,
  FailedRelation,
  ProjectExport,
  ProjectImport,
  RelationExportBatch,
  RelationExportStatus,
  SourceUser,
};
