import type { TSchema } from 'typebox';
import { PublishedFile } from '../generic/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = { PublishedPackageFile: PublishedFile };
