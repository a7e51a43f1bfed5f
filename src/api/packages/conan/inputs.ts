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
