import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';
import { nameInRecipe } from './conan.names.ts';

const revision = Type.String({
  description: 'Revision id, 32 or 40 hexadecimal digits.',
  examples: ['df28fd816be3a119de5ce4d374436b25'],
});

/** A revision of a recipe or of a package. */
export const ConanRevision = Type.Object({
  revision,
  time: Instant({ description: 'When the upload was completed.' }),
});
const Revisions = Type.Array(ConanRevision, { description: 'Complete revisions, newest first.' });

export const RecipeRevisions = Type.Object({
  reference: Type.String({ description: 'Reference of the recipe.', examples: ['zlib/1.3.1@_/_'] }),
  revisions: Revisions,
});

export const BinaryRevisions = Type.Object({
  packageReference: Type.String({
    description: 'Reference of recipe, recipe revision and package.',
    examples: ['zlib/1.3.1@_/_#df28fd816be3a119de5ce4d374436b25:da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  }),
  revisions: Revisions,
});

export const RevisionFiles = Type.Object({
  files: Type.Record(Type.String(), Type.Object({}), { description: 'Files by name.' }),
});

export const RecipeSearchResults = Type.Object({
  results: Type.Array(Type.String(), { description: 'Matching recipes.', examples: [['zlib/1.3.1@_/_']] }),
});

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** Packages of a recipe, by id. */
export const BinarySearchResults = Type.Record(
  Type.String(),
  Type.Object({
    content: Type.String({ description: 'Content of `conaninfo.txt`.', examples: ['[settings]\nos=Linux\n'] }),
    settings: Texts('Settings of the build.'),
    options: Texts('Options of the build.'),
    requires: Type.Array(Type.String(), { description: 'Requirements.' }),
    full_requires: Type.Array(Type.String(), { description: 'Requirements with revisions.' }),
    recipe_hash: Type.Optional(Type.String({ description: 'Recipe hash; only for Conan 1.' })),
  }),
);

/** Checksums of files by name. */
export const FileChecksums = Type.Record(Type.String(), Type.String(), {
  description: 'MD5 checksums by file name.',
  examples: [{ 'conanfile.py': '1bf0f3a9b9f6a3d5d3f4f0f2a8f0c3b1' }],
});

/** URLs of files by name. */
export const FileAddresses = Type.Record(Type.String(), Type.String(), {
  description: 'URLs by file name.',
});

/** What packages have in lists beside what those of every kind have. */
export const conanAttributes = {
  schema: {
    conan_package_name: Type.Optional(
      Type.String({ description: 'Name of the recipe; only for Conan packages.', examples: ['zlib'] }),
    ),
  },
  of: (name: string) => ({ conan_package_name: nameInRecipe(name) }),
};
