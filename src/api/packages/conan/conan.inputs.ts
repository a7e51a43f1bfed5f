import { Type } from 'typebox';

const Recipe = {
  package_name: Type.String({ description: 'Name of the recipe.', examples: ['zlib'] }),
  package_version: Type.String({ description: 'Its version.', examples: ['1.3.1'] }),
  package_username: Type.String({ description: 'Its user; `_` for none.', examples: ['_'] }),
  package_channel: Type.String({ description: 'Its channel; `_` for none.', examples: ['_'] }),
};
const RecipeRevision = {
  ...Recipe,
  recipe_revision: Type.String({
    description: 'Revision of the recipe.',
    examples: ['df28fd816be3a119de5ce4d374436b25'],
  }),
};
const Binary = {
  ...RecipeRevision,
  conan_package_reference: Type.String({
    description: 'Id of a package that was built.',
    examples: ['da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  }),
};
const BinaryRevision = {
  ...Binary,
  package_revision: Type.String({
    description: 'Revision of the package.',
    examples: ['75f44d989175c05bc4be2399edc63091'],
  }),
};
const File = { file_name: Type.String({ description: 'Name of the file.', examples: ['conanmanifest.txt'] }) };

const None = Type.String({ description: '`0`: there are no revisions.', examples: ['0'] });
const Built = { ...Recipe, conan_package_reference: Binary.conan_package_reference };
const Size = Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes of the file, where it is to be uploaded.' }));

/** What paths of version 1 name beside the recipe. */
export const V1_PATHS = {
  built: Type.Object(Built),
  recipeFile: Type.Object({ ...Recipe, recipe_revision: None, ...File }),
  builtFile: Type.Object({ ...Built, recipe_revision: None, package_revision: None, ...File }),
};

/** Files that are to be uploaded; others are passed over. */
export const RecipeSizes = Type.Object({
  'conanfile.py': Size,
  'conanmanifest.txt': Size,
  'conan_sources.tgz': Size,
  'conan_export.tgz': Size,
});
export const BinarySizes = Type.Object({
  'conaninfo.txt': Size,
  'conanmanifest.txt': Size,
  'conan_package.tgz': Size,
});

/** What paths name. */
export const PATHS = {
  recipe: Type.Object(Recipe),
  revision: Type.Object(RecipeRevision),
  revisionFile: Type.Object({ ...RecipeRevision, ...File }),
  binary: Type.Object(Binary),
  binaryRevision: Type.Object(BinaryRevision),
  binaryFile: Type.Object({ ...BinaryRevision, ...File }),
};

export const SearchInput = Type.Object({
  q: Type.Optional(
    Type.String({ description: 'A name, a recipe, or either with `*` for anything.', examples: ['zlib*'] }),
  ),
  ignorecase: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether capital letters are the same as small ones.' }),
  ),
});
