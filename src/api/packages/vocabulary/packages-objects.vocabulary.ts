import type { TSchema } from 'typebox';
import { PackageFile } from '../package-files/package-files.responses.ts';
import {
  GroupPackage,
  OtherVersion,
  Package,
  PackageListEntry,
  PackagePipeline,
  PackageTag,
} from '../packages/packages.responses.ts';
import { PackageProtectionRule } from '../protection-rules/protection-rules.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  GroupPackage,
  Package,
  PackageFile,
  PackageListEntry,
  PackagePipeline,
  PackageProtectionRule,
  PackageTag,
  PackageVersion: OtherVersion,
};
