import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

const revision = Type.String({
  description: 'The revision, 32 or 40 hexadecimal digits.',
  examples: ['df28fd816be3a119de5ce4d374436b25'],
});

/** A revision of a recipe or of a package that was built by it. */
export const ConanRevision = Type.Object({ revision, time: Instant({ description: 'When it was whole.' }) });
const Revisions = Type.Array(ConanRevision, { description: 'Those that are whole, the newest first.' });

export const RecipeRevisions = Type.Object({
  reference: Type.String({ description: 'The recipe.', examples: ['zlib/1.3.1@_/_'] }),
  revisions: Revisions,
});

export const BinaryRevisions = Type.Object({
  packageReference: Type.String({
    description: 'The recipe, its revision and the package.',
    examples: ['zlib/1.3.1@_/_#df28fd816be3a119de5ce4d374436b25:da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  }),
  revisions: Revisions,
});

export const RevisionFiles = Type.Object({
  files: Type.Record(Type.String(), Type.Object({}), { description: 'The files by their names.' }),
});

export const RecipeSearchResults = Type.Object({
  results: Type.Array(Type.String(), { description: 'Recipes that fit.', examples: [['zlib/1.3.1@_/_']] }),
});

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** Packages that were built by a recipe, by their ids. */
export const BinarySearchResults = Type.Record(
  Type.String(),
  Type.Object({
    content: Type.String({ description: '`conaninfo.txt` as it was uploaded.', examples: ['[settings]\nos=Linux\n'] }),
    settings: Texts('What it was built for.'),
    options: Texts('How it was built.'),
    requires: Type.Array(Type.String(), { description: 'What it needs.' }),
    full_requires: Type.Array(Type.String(), { description: 'What it needs, with revisions.' }),
    recipe_hash: Type.Optional(Type.String({ description: 'Of the recipe; of Conan 1 only.' })),
  }),
);

/** Checksums of files, by their names. */
export const FileChecksums = Type.Record(Type.String(), Type.String(), {
  description: 'MD5 of each file, by its name.',
  examples: [{ 'conanfile.py': '1bf0f3a9b9f6a3d5d3f4f0f2a8f0c3b1' }],
});

/** Addresses of files, by their names. */
export const FileAddresses = Type.Record(Type.String(), Type.String(), {
  description: 'Address of each file, by its name.',
});
