import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { packageKinds } from '../package-kinds.ts';
import { packageWords } from './packages.vocabulary.ts';
import { objects } from './packages-objects.vocabulary.ts';

const ofKinds = [...packageKinds.values()].map(({ vocabulary }) => vocabulary);

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: Object.assign({}, packageWords, ...ofKinds.map((each) => each?.entries)),
  objects: Object.assign({}, objects, ...ofKinds.map((each) => each?.objects)),
};
