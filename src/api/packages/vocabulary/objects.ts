import type { TSchema } from 'typebox';
import { PublishedFile } from '../generic/answers.ts';
import { NpmAudit, NpmDistTags, NpmPackage, NpmPublished, NpmUser, NpmVersion } from '../npm/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  NpmAudit,
  NpmDistTags,
  NpmPackage,
  NpmPublished,
  NpmUser,
  NpmVersion,
  PublishedPackageFile: PublishedFile,
};
