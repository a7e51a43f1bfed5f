import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailSettingFields, settingFields } from '../../src/api/spaces/groups/groups.settings.ts';
import { settingAttributes } from '../../src/api/spaces/projects/projects.attributes.ts';
import { WATCHED_OF_GROUPS } from '../../src/audit/groups.audit.ts';
import { WATCHED_OF_PROJECTS } from '../../src/audit/projects.audit.ts';

/** What is told by another name: the number stands for rules that are told as such. */
const BY_ANOTHER = ['default_branch_protection'];

for (const [what, settings, watched] of [
  ['project', settingAttributes, WATCHED_OF_PROJECTS],
  ['group', { ...settingFields, ...detailSettingFields }, WATCHED_OF_GROUPS],
] as const) {
  test(`every setting of a ${what} that can be changed is told of`, () => {
    const silent = Object.keys(settings).filter((name) => !(name in watched) && !BY_ANOTHER.includes(name));
    assert.deepEqual(silent, []);
  });
}
