import type { TSchema } from 'typebox';
import { ConanRevision } from '../conan/answers.ts';
import { PublishedFile } from '../generic/answers.ts';
import { NpmAudit, NpmDistTags, NpmPackage, NpmPublished, NpmUser, NpmVersion } from '../npm/answers.ts';
import {
  PackageMetadata,
  PackageRegistration,
  PackageVersions,
  SearchResults,
  ServiceIndex,
} from '../nuget/answers.ts';
import { PackageFile } from '../package-files/answers.ts';
import {
  GroupPackage,
  OtherVersion,
  Package,
  PackageListEntry,
  PackagePipeline,
  PackageTag,
} from '../packages/answers.ts';
import { PackageProtectionRule } from '../protection-rules/answers.ts';
import { ModuleVersions, TerraformModule } from '../terraform-modules/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  ConanRevision,
  GroupPackage,
  NpmAudit,
  NpmDistTags,
  NpmPackage,
  NpmPublished,
  NpmUser,
  NpmVersion,
  NugetPackage: PackageRegistration,
  NugetSearchResults: SearchResults,
  NugetServiceIndex: ServiceIndex,
  NugetVersion: PackageMetadata,
  NugetVersions: PackageVersions,
  Package,
  PackageFile,
  PackageListEntry,
  PackagePipeline,
  PackageProtectionRule,
  PackageTag,
  PackageVersion: OtherVersion,
  PublishedPackageFile: PublishedFile,
  TerraformModule,
  TerraformModuleVersions: ModuleVersions,
};
