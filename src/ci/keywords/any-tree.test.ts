import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Tree, TreeMap } from '../config/loaded.ts';
import { readConfig } from './read-config.ts';
import { BRIDGE, DEFAULTS, JOB } from './tables.ts';

const INNER =
  'job pipeline project ref artifacts optional parallel matrix paths files prefix key name url on_stop action reports junit coverage_report coverage_format path if when changes exists compare_to needs variables value options description expand exit_codes max links assets tag_name include local artifact strategy forward aud vault default type refs kubernetes'.split(
    ' ',
  );
const key = fc.constantFrom(...JOB.names, ...BRIDGE.names, ...INNER, 'start_in', 'dependencies', 'a', '.b', '');
const scalar = fc.constantFrom<Tree>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  1.5,
  1e9,
  '',
  'a',
  '.b',
  'build',
  'always',
  'never',
  'delayed',
  'manual',
  '1 day',
  '$A',
  '$A == "b"',
  '/a/',
  '/(/',
  'a/b',
  '..',
  'https://example.com',
  '__proto__',
);

const { tree } = fc.letrec<{ tree: Tree; map: TreeMap }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('map'),
  ),
  map: fc.dictionary(key, tie('tree'), { maxKeys: 2 }),
}));
const map = fc.dictionary(fc.constantFrom(...JOB.names, ...BRIDGE.names, 'start_in', 'dependencies', 'when'), tree, {
  maxKeys: 2,
});

/** Mostly shaped like a configuration, to reach nested keywords. */
const config = fc
  .record({
    jobs: fc.dictionary(
      fc.constantFrom('a', 'build', 'pages'),
      fc.tuple(fc.constantFrom('script', 'trigger'), fc.constant('a'), map),
      { minKeys: 1, maxKeys: 2 },
    ),
    top: fc.dictionary(fc.constantFrom('stages', 'workflow', 'variables', 'cache', 'image', 'include'), tree, {
      maxKeys: 1,
    }),
    block: fc.option(fc.dictionary(fc.constantFrom(...DEFAULTS.names), tree, { maxKeys: 1 })),
  })
  .map(
    ({ jobs, top, block }): TreeMap => ({
      ...top,
      ...(block === null ? {} : { default: block }),
      ...Object.fromEntries(
        Object.entries(jobs).map(([name, [kind, value, rest]]) => [name, { ...rest, [kind]: value }]),
      ),
    }),
  );

test('whatever stands in a configuration, it has jobs or errors', () => {
  fc.assert(
    fc.property(config, (generated) => {
      const before = JSON.stringify(generated);
      const { config: parsed, errors } = readConfig(generated);
      assert.equal(parsed === null, errors.length > 0);
      assert.equal(new Set(errors).size, errors.length);
      for (const error of errors) assert.doesNotMatch(error, /undefined$|\[object/);
      assert.ok(parsed === null || parsed.jobs.every(({ stage }) => parsed.stages.includes(stage)));
      assert.equal(JSON.stringify(generated), before);
    }),
    { numRuns: 2000 },
  );
});
