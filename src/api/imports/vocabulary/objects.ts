import type { TSchema } from 'typebox';
import { BulkImport, BulkImportEntity, BulkImportFailure } from '../bulk-imports/answers.ts';
import { SourceUser } from '../placeholder-reassignments/answers.ts';
import { ProjectExport } from '../project-exports/answers.ts';
import { FailedRelation, ProjectImport } from '../project-imports/answers.ts';
import { RelationExportBatch, RelationExportStatus } from '../relation-exports/answers.ts';

/** What the objects of this area are called. */
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
