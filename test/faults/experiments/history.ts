import assert from 'node:assert/strict';
import { gitFixture } from '../../support/git-fixture.ts';
import { askBoth, GRAPHS, generateHistory, INDEXED } from '../../support/history-questions.ts';
import type { Experiment } from '../experiment.ts';

/** Of each kind of graph, with right and with wrong clocks. */
const HISTORIES = 5;
const QUESTIONS = 30;

export default {
  title: 'generated histories are read from the commit-graph, and git is asked the same',
  engines: ['sqlite'],
  async run(lab) {
    let asked = 0;
    for (const graph of GRAPHS) {
      for (let seed = 0; seed < 2 * HISTORIES; seed += 1) {
        const skewed = seed % 2 === 1;
        const cleanUp: (() => unknown)[] = [];
        const fixture = gitFixture({ after: (fn) => cleanUp.push(fn) });
        try {
          const indexed = INDEXED[seed % INDEXED.length]!;
          const made = await generateHistory(fixture, { seed, graph, indexed, skewed, commits: 40 + 20 * seed });
          assert.deepEqual(await askBoth(made, QUESTIONS), [], `graph ${graph}, indexed ${indexed}, seed ${seed}`);
          asked += QUESTIONS;
        } finally {
          for (const fn of cleanUp.toReversed()) await fn();
        }
      }
    }
    lab.say(`${asked} rounds of 13 questions got git's answers`);
  },
} satisfies Experiment;
