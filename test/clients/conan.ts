/** Lets conan upload, find, install and remove packages. Its program is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const RECIPE = `from conan import ConanFile
from conan.tools.files import save, copy
import os

class Hello(ConanFile):
    name = "hello"
    version = "1.0"
    settings = "os"
    exports_sources = "hello.h"

    def package(self):
        copy(self, "hello.h", self.source_folder, os.path.join(self.package_folder, "include"))
`;

/** A home of conan's of its own, that knows the project alone. */
async function home(name: string, projectId: number, secret: string | null) {
  const env = { CONAN_HOME: join(folder, name) };
  const conan = (...args: string[]) => must(folder, program, args, env);
  await conan('profile', 'detect');
  await conan('remote', 'remove', '*');
  await conan('remote', 'add', 'stithy', `${url}/api/v4/projects/${projectId}/packages/conan`);
  if (secret !== null) await conan('remote', 'login', 'stithy', 'ada', '-p', secret);
  return { conan, tries: (...args: string[]) => run(folder, program, args, env) };
}

/** A recipe whose binary is the same for everybody. */
const PLAIN = `from conan import ConanFile

class Plain(ConanFile):
    name = "plain"
    version = "1.0"
`;

await runTests('conan', {
  'uploads, lists, installs and removes a package': async () => {
    const { id } = await api<{ id: number }>('POST', '/projects', { path: 'conan' });
    const source = join(folder, 'hello');
    mkdirSync(source);
    writeFileSync(join(source, 'conanfile.py'), RECIPE);
    writeFileSync(join(source, 'hello.h'), '#pragma once\n');
    const ada = await home('ada', id, token);
    await ada.conan('create', source);
    await ada.conan('upload', 'hello/1.0', '-r', 'stithy', '--confirm');
    assert.match(await ada.conan('upload', 'hello/1.0', '-r', 'stithy', '--confirm'), /already in server/);
    assert.match(await ada.conan('search', 'hello*', '-r', 'stithy'), /hello\/1\.0/);
    assert.match(await ada.conan('list', 'hello/1.0#*:*#*', '-r', 'stithy'), /os: Linux/);

    const bob = await home('bob', id, token);
    assert.match(await bob.conan('install', '--requires=hello/1.0'), /Downloaded package revision/);
    assert.match(await bob.conan('cache', 'path', 'hello/1.0'), /bob/);

    const stranger = await home('stranger', id, null);
    const { ok, text } = await stranger.tries('install', '--requires=hello/1.0');
    assert.ok(!ok, text);

    await ada.conan('remove', 'hello/1.0:*', '-r', 'stithy', '--confirm');
    assert.doesNotMatch(await ada.conan('list', 'hello/1.0#*:*#*', '-r', 'stithy'), /os: Linux/);
    await ada.conan('remove', 'hello/1.0', '-r', 'stithy', '--confirm');
    assert.doesNotMatch(await ada.conan('search', 'hello*', '-r', 'stithy'), /hello\/1\.0/);
  },
  'uploads and installs a package that depends on no settings': async () => {
    const { id } = await api<{ id: number }>('POST', '/projects', { path: 'plain' });
    const source = join(folder, 'plain');
    mkdirSync(source);
    writeFileSync(join(source, 'conanfile.py'), PLAIN);
    const cy = await home('cy', id, token);
    await cy.conan('create', source);
    await cy.conan('upload', 'plain/1.0', '-r', 'stithy', '--confirm');
    const di = await home('di', id, token);
    assert.match(await di.conan('install', '--requires=plain/1.0'), /Downloaded package revision/);
  },
});
