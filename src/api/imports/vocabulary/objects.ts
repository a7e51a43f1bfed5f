import type { TSchema } from 'typebox';
import { RelationExportBatch, RelationExportStatus } from '../relation-exports/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  RelationExportBatch,
  RelationExportStatus,
};
