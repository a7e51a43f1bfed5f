/** The recipes of recipes/ as clients: what they need, and how recipe.ts is told to run them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, cache, installNode, installPython, Missing, onPath } from './tools.ts';

const VITEST = '5.1.2';
const JEST = '30.5.2';
const PLAYWRIGHT = '1.65.1';
const TESTCONTAINERS = '12.2.0';
const PYTEST = '9.2.0';

const program = join(import.meta.dirname, 'recipe.ts');

/** @param place gives the folder that the recipe needs: where it is run, where its programs or what they fetch are */
const recipe = (name: string, version: string, place: () => Promise<string>): Client => ({
  name: `recipe for ${name} ${version}`.trimEnd(),
  startsServers: true,
  prepare: async () => [process.execPath, program, name, await place()],
});

const ofNode = (name: string, version: string, packages: readonly string[]): Client =>
  recipe(name, version, () => installNode(`recipe-${name}-${version}`, packages));

/** A folder of its own, for a program that is on the machine. */
async function folderFor(command: string, folder: string): Promise<string> {
  if (onPath(command) === undefined) throw new Missing(`${command} is not on this machine`);
  const place = join(cache, folder);
  await mkdir(place, { recursive: true });
  return place;
}

export const recipes: readonly Client[] = [
  recipe('pytest', PYTEST, () => installPython('pytest', PYTEST)),
  recipe('go', '', () => folderFor('go', 'recipe-go')),
  recipe('junit', '', () => folderFor('mvn', 'maven')),
  ofNode('jest', JEST, [`jest@${JEST}`]),
  ofNode('vitest', VITEST, [`vitest@${VITEST}`]),
  ofNode('playwright', PLAYWRIGHT, [`@playwright/test@${PLAYWRIGHT}`]),
  ofNode('testcontainers', TESTCONTAINERS, [`testcontainers@${TESTCONTAINERS}`]),
];
