import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from './config.ts';
import { FLAGS, flagsHelp, namingFlags, withFlags } from './flags.ts';

test('a flag wins over its variable, and others stay', () => {
  const env = { STITHY_PORT: '1', STITHY_HOST: '::1' };
  const { config } = loadConfig(withFlags(env, { port: '0', plan: 'free', bench: true }));
  assert.deepEqual([config.port, config.host, config.plan, config.bench !== null], [0, '::1', 'free', true]);
});

test('a data folder or an ephemeral one given as a flag takes the place of the other', () => {
  const folder = withFlags({ STITHY_EPHEMERAL: '1' }, { data: '/tmp/here' });
  assert.deepEqual([loadConfig(folder).config.dataDir, loadConfig(folder).config.ephemeral], ['/tmp/here', false]);
  const { config } = loadConfig(withFlags({ STITHY_DATA_DIR: '/tmp/here' }, { ephemeral: true }));
  assert.equal(config.ephemeral, true);
  assert.match(config.dataDir, /stithy-ephemeral-\d+-[0-9a-f]{12}$/);
  assert.equal(config.database.kind === 'sqlite' && config.database.durable, false);
});

test('an ephemeral server takes nothing that would stay', () => {
  for (const [name, value] of [
    ['STITHY_DATA_DIR', '/tmp/here'],
    ['STITHY_STORAGES', 'default=/tmp/here'],
    ['STITHY_DATABASE_URL', 'postgres://127.0.0.1/x'],
  ] as const) {
    assert.throws(() => loadConfig({ STITHY_EPHEMERAL: '1', [name]: value }), new RegExp(`STITHY_EPHEMERAL .*${name}`));
  }
});

test('a refusal names the flag that was given', () => {
  const message = 'STITHY_PLAN must be one of free, premium, ultimate, not "gold".';
  assert.match(namingFlags(message, { plan: 'gold' }), /^--plan \(STITHY_PLAN\) must be/);
  assert.equal(namingFlags(message, { port: '0' }), message);
});

test('every flag stands for a variable that is read, and is in the help and on the page of the test bench', () => {
  const config = readFileSync(join(import.meta.dirname, 'config.ts'), 'utf8');
  const page = readFileSync(join(import.meta.dirname, '../../docs/testing.md'), 'utf8');
  for (const { name, variable, value } of FLAGS) {
    assert.ok(config.includes(`'${variable}'`), variable);
    assert.match(flagsHelp(), new RegExp(`^  --${name} `, 'm'));
    assert.ok(page.includes(`\`--${name}${value === null ? '' : ` ${value}`}\``), name);
  }
});
