import { Type } from 'typebox';

const Recipe = {
  package_name: Type.String({ description: 'Name of the recipe.', examples: ['zlib'] }),
  package_version: Type.String({ description: 'Version of the recipe.', examples: ['1.3.1'] }),
  package_username: Type.String({ description: 'User of the recipe; `_` for none.', examples: ['_'] }),
  package_channel: Type.String({ description: 'Channel of the recipe; `_` for none.', examples: ['_'] }),
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
    description: 'Id of the binary package.',
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

const None = Type.String({ description: 'Always `0`: there are no revisions.', examples: ['0'] });
const Built = { ...Recipe, conan_package_reference: Binary.conan_package_reference };
const Size = Type.Optional(Type.Integer({ minimum: 0, description: 'Size of the file in bytes; for uploads.' }));

/** Path parameters of version 1 in addition to the recipe. */
export const V1_PATHS = {
  built: Type.Object(Built),
  recipeFile: Type.Object({ ...Recipe, recipe_revision: None, ...File }),
  builtFile: Type.Object({ ...Built, recipe_revision: None, package_revision: None, ...File }),
};

/** Sizes of files to upload; other names are ignored. */
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

/** Path parameters. */
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
    Type.String({
      description: 'Name, recipe, or a pattern of them in which `*` stands for any text.',
      examples: ['zlib*'],
    }),
  ),
  ignorecase: Type.Optional(Type.Boolean({ default: true, description: 'Whether the search is case-insensitive.' })),
});
