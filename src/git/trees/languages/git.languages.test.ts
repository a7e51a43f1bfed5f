import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../../test/support/git-repository.ts';
import { languagesOf } from './git.languages.ts';
import { isDocumentationPath, isGeneratedPath, isVendoredPath } from './language-paths.ts';

let git: GitRepository;
before(() => {
  git = new GitRepository();
});
after(() => git.close());

test('counts bytes of programming and markup languages, most first', async () => {
  git.write('src/main.ts', 'x'.repeat(500));
  git.write('src/view.tsx', 'x'.repeat(100));
  git.write('lib/a.rb', 'x'.repeat(300));
  git.write('Rakefile', 'x'.repeat(50));
  git.write('Dockerfile', 'x'.repeat(40));
  git.write('style.css', 'x'.repeat(30));
  git.write('README.md', 'x'.repeat(9000));
  git.write('data.json', 'x'.repeat(9000));
  git.write('package-lock.json', 'x'.repeat(9000));
  git.write('node_modules/a/index.js', 'x'.repeat(9000));
  git.write('docs/conf.py', 'x'.repeat(9000));
  git.write('unknown.zzz', 'x'.repeat(9000));
  git.write('odd\tname\n.go', 'x'.repeat(20));
  git.write('empty.c', '');
  symlinkSync('src/main.ts', join(git.dir, 'link.py'));
  assert.deepEqual(await languagesOf(git.repo, git.commit('root')), [
    { name: 'TypeScript', bytes: 600 },
    { name: 'Ruby', bytes: 350 },
    { name: 'Dockerfile', bytes: 40 },
    { name: 'CSS', bytes: 30 },
    { name: 'Go', bytes: 20 },
  ]);
});

test('an ending that several languages share goes to the one the repository has', async () => {
  git.git('rm', '-rfq', '.');
  git.write('a.h', 'x'.repeat(10));
  git.write('b.m', 'x'.repeat(10));
  const plain = await languagesOf(git.repo, git.commit('headers'));
  assert.ok(plain.some(({ name, bytes }) => name === 'C' && bytes === 10));
  git.write('a.cpp', 'x'.repeat(100));
  git.write('b.mm', 'x'.repeat(100));
  const mixed = await languagesOf(git.repo, git.commit('more'));
  assert.ok(mixed.some(({ name, bytes }) => name === 'C++' && bytes === 110));
  assert.ok(!mixed.some(({ name }) => name === 'C'));
});

test('an empty tree has no languages', async () => {
  git.git('rm', '-rfq', '.');
  assert.deepEqual(await languagesOf(git.repo, git.commit('empty')), []);
  await assert.rejects(languagesOf(git.repo, '--name-only'), { code: 'invalid' });
});

test('what is vendored, documentation or generated', () => {
  for (const path of ['vendor/a.go', 'a/node_modules/b.js', 'jquery-3.1.js', 'gradlew', 'x/third_party/y.c']) {
    assert.ok(isVendoredPath(path), path);
  }
  for (const path of ['docs/a.rb', 'LICENSE', 'x/README.md', 'examples/a.js'])
    assert.ok(isDocumentationPath(path), path);
  for (const path of ['yarn.lock', 'a/go.sum', 'x.min.js', 'api.pb.go']) assert.ok(isGeneratedPath(path), path);
  for (const path of ['src/vendor.ts', 'app/doctor.rb', 'src/administration.js', 'lock.ts']) {
    assert.ok(!isVendoredPath(path) && !isDocumentationPath(path) && !isGeneratedPath(path), path);
  }
});
