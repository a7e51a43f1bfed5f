import assert from 'node:assert/strict';
import { askWarmAndCold, askWithAndWithoutGit, generateChanges } from '../../support/diff-questions.ts';
import { gitFixture } from '../../support/git-fixture.ts';
import type { Experiment } from '../experiment.ts';

const HISTORIES = 25;
const QUESTIONS = 60;

export default {
  title: 'generated changes are compared without git and by warm processes, and git is asked the same',
  engines: ['sqlite'],
  async run(lab) {
    let without = 0;
    for (let seed = 100; seed < 100 + HISTORIES; seed += 1) {
      const cleanUp: (() => unknown)[] = [];
      const fixture = gitFixture({ after: (fn) => cleanUp.push(fn) });
      try {
        const oids = generateChanges(fixture, { seed, commits: 80 });
        assert.deepEqual(await askWarmAndCold(fixture, oids, seed, QUESTIONS), [], `seed ${seed}`);
        const { differing, compared } = await askWithAndWithoutGit(fixture, oids, seed, 2 * QUESTIONS);
        assert.deepEqual(differing, [], `seed ${seed}`);
        without += compared;
      } finally {
        for (const fn of cleanUp.toReversed()) await fn();
      }
    }
    lab.say(`${3 * HISTORIES * QUESTIONS} questions got git's answers, ${without} more without git`);
  },
} satisfies Experiment;
