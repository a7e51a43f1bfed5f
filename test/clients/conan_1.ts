/** Lets Conan 1 upload, find, install and remove packages. Its program is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const RECIPE = `from conans import ConanFile

class Hello(ConanFile):
    name = "hello"
    version = "1.0"
    settings = "os"
    exports_sources = "hello.h"

    def package(self):
        self.copy("hello.h", dst="include")
`;

/** A home of conan's of its own, that knows one remote alone. */
async function home(name: string, remote: string, secret: string | null) {
  const env = { CONAN_USER_HOME: join(folder, name) };
  mkdirSync(env.CONAN_USER_HOME);
  const conan = (...args: string[]) => must(folder, program, args, env);
  await conan('remote', 'clean');
  await conan('remote', 'add', 'stithy', `${url}/api/v4${remote}/packages/conan`);
  if (secret !== null) await conan('user', 'ada', '-r', 'stithy', '-p', secret);
  return { conan, tries: (...args: string[]) => run(folder, program, args, env) };
}

async function goesRound(name: string, remote: string, recipe: string): Promise<void> {
  const source = join(folder, `source-${name}`);
  mkdirSync(source);
  writeFileSync(join(source, 'conanfile.py'), RECIPE);
  writeFileSync(join(source, 'hello.h'), '#pragma once\n');
  const ada = await home(`${name}-ada`, remote, token);
  await ada.conan('create', source, recipe.replace(/^.*@/, ''));
  await ada.conan('upload', recipe, '-r', 'stithy', '--all', '--confirm');
  assert.match(await ada.conan('search', 'hello*', '-r', 'stithy'), /hello\/1\.0@/);
  assert.match(await ada.conan('search', recipe, '-r', 'stithy'), /os: Linux/);

  const bob = await home(`${name}-bob`, remote, token);
  assert.match(await bob.conan('install', recipe), /Package installed/);
  const { ok, text } = await (await home(`${name}-stranger`, remote, null)).tries('install', recipe);
  assert.ok(!ok, text);

  writeFileSync(join(source, 'hello.h'), '#pragma once\n// changed\n');
  await ada.conan('create', source, recipe.replace(/^.*@/, ''));
  await ada.conan('upload', recipe, '-r', 'stithy', '--all', '--confirm');
  await bob.conan('install', recipe, '--update');

  await ada.conan('remove', recipe, '-r', 'stithy', '--force');
  assert.doesNotMatch((await ada.tries('search', 'hello*', '-r', 'stithy')).text, /hello\/1\.0@/);
}

await runTests('conan 1', {
  'uploads, lists, installs, replaces and removes a package of a project': async () => {
    const { id } = await api<{ id: number }>('POST', '/projects', { path: 'conan-1' });
    await goesRound('project', `/projects/${id}`, 'hello/1.0@ada/stable');
  },
  'does the same at the remote of the server': async () => {
    const { path_with_namespace: path } = await api<{ path_with_namespace: string }>('POST', '/projects', {
      path: 'conan-1-server',
    });
    await goesRound('server', '', `hello/1.0@${path.replaceAll('/', '+')}/stable`);
  },
});
