import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CurrentSettings } from './current-settings.ts';
import type { ApplicationSettings } from './settings-table.ts';

const withMode = (maintenance_mode: boolean) => ({ maintenance_mode }) as ApplicationSettings;

test('a change that was committed stands where it can be neither read nor told at once', async () => {
  let failing = false;
  let stored = withMode(false);
  const reach = async () => {
    if (failing) throw new Error('the database cannot be reached');
    return stored;
  };
  const settings = new CurrentSettings(reach, withMode(false), false, async () => void (await reach()));
  await settings.refresh();
  assert.equal(settings.fresh(), null);
  stored = withMode(true);
  failing = true;
  await settings.changed();
  failing = false;
  await settings.fresh();
  assert.equal(settings.now.maintenance_mode, true);
});
