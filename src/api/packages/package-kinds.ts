import type { TProperties } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../http/http.route.ts';
import type { Vocabulary } from '../../http/openapi/openapi.words.ts';
import type { PackageKind } from '../../packages/package-kind.ts';
import { composerRoutes } from './composer/composer.routes.ts';
import { nameInRecipe } from './conan/conan.names.ts';
import { ConanRevision, conanAttributes } from './conan/conan.responses.ts';
import { conanRoutes } from './conan/conan.routes.ts';
import { PublishedFile } from './generic/generic.responses.ts';
import { genericRoutes } from './generic/generic.routes.ts';
import { goRoutes } from './go/go.routes.ts';
import { helmRoutes } from './helm/helm.routes.ts';
import { registerMaven } from './maven/maven.background.ts';
import { mavenRoutes } from './maven/maven.routes.ts';
import { registerNpm } from './npm/check-manifest.ts';
import { npmObjects } from './npm/npm.responses.ts';
import { npmRoutes } from './npm/npm.routes.ts';
import { nugetObjects } from './nuget/nuget.responses.ts';
import { nugetRoutes } from './nuget/nuget.routes.ts';
import { pythonName } from './pypi/pypi.names.ts';
import { pypiRoutes } from './pypi/pypi.routes.ts';
import { ModuleVersions, moduleWords, TerraformModule } from './terraform-modules/terraform-modules.responses.ts';
import { terraformModuleRoutes } from './terraform-modules/terraform-modules.routes.ts';

/** A kind of packages with its part of the API. */
interface Registry extends PackageKind {
  readonly routes: readonly Route[];
  /** Attributes that only its packages have, made of their name. */
  readonly attributes?: { readonly schema: TProperties; of(name: string): object };
  /** Names of its objects, and words, for the OpenAPI document. */
  readonly objects?: Vocabulary['objects'];
  readonly words?: Vocabulary['entries'];
  /** Registers background work. */
  register?(deps: Deps): void;
}

const MIB = 1024 * 1024;
const lowerCase = (name: string): string => name.toLowerCase();

/** All kinds, in the order of the OpenAPI document: a new one is last. */
const KINDS: readonly Registry[] = [
  { type: 'composer', nameKey: lowerCase, routes: composerRoutes },
  {
    type: 'conan',
    limit: { name: 'conan_max_file_size', bytes: 3_072 * MIB, of: 'Conan package' },
    protection: { part: nameInRecipe },
    routes: conanRoutes,
    attributes: conanAttributes,
    objects: { ConanRevision },
  },
  {
    type: 'generic',
    limit: { name: 'generic_packages_max_file_size', bytes: 5_120 * MIB, of: 'generic package' },
    protection: {},
    routes: genericRoutes,
    objects: { PublishedPackageFile: PublishedFile },
  },
  { type: 'golang', routes: goRoutes },
  {
    type: 'maven',
    limit: { name: 'maven_max_file_size', bytes: 3_072 * MIB, of: 'Maven package' },
    protection: {},
    routes: mavenRoutes,
    register: registerMaven,
  },
  {
    type: 'npm',
    limit: { name: 'npm_max_file_size', bytes: 500 * MIB, of: 'npm package' },
    protection: { patterns: [/^@?[-+.\w*]+(\/[-+.\w*]+)?$/, 'NPM'] },
    routes: npmRoutes,
    objects: npmObjects,
    register: registerNpm,
  },
  {
    type: 'nuget',
    limit: { name: 'nuget_max_file_size', bytes: 500 * MIB, of: 'NuGet package' },
    nameKey: lowerCase,
    protection: {},
    routes: nugetRoutes,
    objects: nugetObjects,
  },
  {
    type: 'pypi',
    limit: { name: 'pypi_max_file_size', bytes: 3_072 * MIB, of: 'Python package' },
    nameKey: pythonName,
    protection: { patterns: [/^[\w.*-]+$/, 'PyPI'] },
    routes: pypiRoutes,
  },
  {
    type: 'terraform_module',
    limit: { name: 'terraform_module_max_file_size', bytes: 1_024 * MIB, of: 'Terraform module' },
    routes: terraformModuleRoutes,
    objects: { TerraformModule, TerraformModuleVersions: ModuleVersions },
    words: moduleWords,
  },
  {
    type: 'helm',
    limit: { name: 'helm_max_file_size', bytes: 5 * MIB, of: 'Helm chart' },
    protection: {},
    routes: helmRoutes,
  },
];

/** All kinds by their types. */
export const packageKinds: ReadonlyMap<string, Registry> = new Map(KINDS.map((kind) => [kind.type, kind]));

const typesOf = (kinds: readonly Registry[]): string[] => kinds.map(({ type }) => type).sort();
export const PACKAGE_TYPES: readonly string[] = typesOf(KINDS);
/** Types of packages that can be protected. */
export const PROTECTED_TYPES: readonly string[] = typesOf(KINDS.filter(({ protection }) => protection !== undefined));
