import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { artifactWords } from './artifacts.vocabulary.ts';
import { objects } from './ci-objects.vocabulary.ts';
import { environmentWords } from './environments.vocabulary.ts';
import { lintWords } from './lint.vocabulary.ts';
import { pipelineWords } from './pipelines.vocabulary.ts';
import { runnerWords } from './runners.vocabulary.ts';
import { variableWords } from './variables.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: { ...artifactWords, ...environmentWords, ...lintWords, ...pipelineWords, ...runnerWords, ...variableWords },
  objects,
};
