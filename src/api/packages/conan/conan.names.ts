import { invalidParameter, notFound } from '../../../core/core.errors.ts';

const COMPONENT = /^[a-zA-Z0-9_][a-zA-Z0-9_+.-]{1,49}$/;
const REVISION = /^(?:[0-9a-f]{32}|[0-9a-f]{40})$/;
const ONLY_UNREVISED = /^0$/;
const PACKAGE_ID = /^[A-Za-z0-9]{1,64}$/;
const NONE = '_';
/** The only revision in version 1 of the protocol, which has no revisions. */
export const DEFAULT_REVISION = '0';

/** The file that clients upload last, which completes a revision. */
export const MANIFEST = 'conanmanifest.txt';
export const INFO = 'conaninfo.txt';
const RECIPE_FILE = /^(?:conanfile\.py|conanmanifest\.txt|conan_(?:sources|export)\.(?:tgz|txz|tzst))$/;
const PACKAGE_FILE = /^(?:conaninfo\.txt|conanmanifest\.txt|conan_package\.(?:tgz|txz|tzst))$/;

/** A recipe in a path; `_` stands for no user and no channel. */
export interface RecipeParams {
  package_name: string;
  package_version: string;
  package_username: string;
  package_channel: string;
}

/** A revision of a recipe, or of a package of it. */
export interface RevisionParams {
  recipe_revision: string;
  conan_package_reference?: string;
  package_revision?: string;
}

/** Metadata of the files of a revision, stored as JSON in this order. */
export interface RevisionKey {
  recipe: string;
  reference?: string;
  package?: string;
}

/** Returns `name/version@user/channel`, the name of the package. @throws ApiError 400, 404 */
export function recipeOf(params: RecipeParams): string {
  const { package_name, package_version, package_username: user, package_channel: channel } = params;
  for (const key of ['package_name', 'package_version'] as const) {
    if (!COMPONENT.test(params[key])) throw invalidParameter(`${key} is invalid`);
  }
  for (const key of ['package_username', 'package_channel'] as const) {
    if (params[key] !== NONE && !COMPONENT.test(params[key])) throw invalidParameter(`${key} is invalid`);
  }
  if (user === NONE && channel !== NONE) throw notFound('Package');
  return `${package_name}/${package_version}@${user}/${channel}`;
}

/** Returns the part of a recipe that names what is packaged. */
export const nameInRecipe = (recipe: string): string => recipe.split('/', 1)[0]!;

/** Returns the project path of a recipe's user at the instance remote. */
export const pathOfUser = (user: string): string => user.replaceAll('+', '/');

/** Returns the project path of a recipe, in lower case. */
export const projectPathOf = (recipe: string): string =>
  pathOfUser(recipe.slice(recipe.indexOf('@') + 1, recipe.lastIndexOf('/'))).toLowerCase();

/** @param revision pattern of revisions @throws ApiError 400 */
export function revisionOf(params: RevisionParams, revision = REVISION): RevisionKey {
  const { recipe_revision, conan_package_reference, package_revision } = params;
  if (!revision.test(recipe_revision)) throw invalidParameter('recipe_revision is invalid');
  if (conan_package_reference === undefined) return { recipe: recipe_revision };
  if (!PACKAGE_ID.test(conan_package_reference)) throw invalidParameter('conan_package_reference is invalid');
  if (package_revision === undefined) return { recipe: recipe_revision, reference: conan_package_reference };
  if (!revision.test(package_revision)) throw invalidParameter('package_revision is invalid');
  return { recipe: recipe_revision, reference: conan_package_reference, package: package_revision };
}

/** As `revisionOf` for version 1 of the protocol, where paths contain no revisions. @throws ApiError 400 */
export const withDefaultRevision = (params: Partial<RevisionParams>): RevisionKey =>
  revisionOf(
    {
      recipe_revision: DEFAULT_REVISION,
      ...(params.conan_package_reference === undefined ? {} : { package_revision: DEFAULT_REVISION }),
      ...params,
    },
    ONLY_UNREVISED,
  );

/** @throws ApiError 400 for a file that does not belong to this kind of revision */
export function requireFileName(fileName: string, { reference }: RevisionKey): void {
  if (!(reference === undefined ? RECIPE_FILE : PACKAGE_FILE).test(fileName)) {
    throw invalidParameter('file_name does not have a valid value');
  }
}

/** Serializes a key for storage. */
export const storedKey = ({ recipe, reference, package: revision }: RevisionKey): string =>
  JSON.stringify(reference === undefined ? { recipe } : { recipe, reference, package: revision });

/** Common prefix of the stored keys of all revisions of a package, or of all packages of a recipe revision. */
export const keyPrefix = ({ recipe, reference }: RevisionKey): string =>
  `{"recipe":"${recipe}","reference":"${reference === undefined ? '' : `${reference}",`}`;
