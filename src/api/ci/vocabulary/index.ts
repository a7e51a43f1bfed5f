import type { Vocabulary } from '../../../http/openapi/words.ts';
import { artifactWords } from './artifacts.ts';
import { environmentWords } from './environments.ts';
import { lintWords } from './lint.ts';
import { objects } from './objects.ts';
import { pipelineWords } from './pipelines.ts';
import { runnerWords } from './runners.ts';
import { variableWords } from './variables.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  words: { ...artifactWords, ...environmentWords, ...lintWords, ...pipelineWords, ...runnerWords, ...variableWords },
  objects,
};
