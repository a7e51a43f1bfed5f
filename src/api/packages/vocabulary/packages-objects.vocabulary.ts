import type { TSchema } from 'typebox';
import { ConanRevision } from '../conan/conan.responses.ts';
import { PublishedFile } from '../generic/generic.responses.ts';
import { NpmAudit, NpmDistTags, NpmPackage, NpmPublished, NpmUser, NpmVersion } from '../npm/npm.responses.ts';
import {
  PackageMetadata,
  PackageRegistration,
  PackageVersions,
  SearchResults,
  ServiceIndex,
} from '../nuget/nuget.responses.ts';
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
import { ModuleVersions, TerraformModule } from '../terraform-modules/terraform-modules.responses.ts';

/** Names of the objects of this area. */
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
