import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyOwnFiles, restoreOwnFiles } from './server-files.ts';

const folderOf = (t: { after(work: () => void): void }): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stithy-own-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

test('a backup has the host keys of SSH, which a restore puts back for the server alone, over none that is there', async (t) => {
  const [data, part, empty, used] = [folderOf(t), folderOf(t), folderOf(t), folderOf(t)];
  await copyOwnFiles(data, part);
  mkdirSync(join(data, 'ssh'));
  writeFileSync(join(data, 'ssh/ssh_host_ed25519_key'), 'old key', { mode: 0o600 });
  await copyOwnFiles(data, part);
  await restoreOwnFiles(part, empty);
  const file = join(empty, 'ssh/ssh_host_ed25519_key');
  assert.equal(readFileSync(file, 'utf8'), 'old key');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(empty, 'ssh')).mode & 0o777, 0o700);
  mkdirSync(join(used, 'ssh'));
  writeFileSync(join(used, 'ssh/ssh_host_ed25519_key'), 'new key');
  await restoreOwnFiles(part, used);
  assert.equal(readFileSync(join(used, 'ssh/ssh_host_ed25519_key'), 'utf8'), 'new key');
});
