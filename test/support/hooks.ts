import { expectStatus, type TestApp } from './app.ts';
import { commitFiles } from './commits.ts';

type Json = Record<string, unknown>;

/** Commits a file to a branch, which begins at `main`. @returns id of the commit */
export async function pushTo(
  app: TestApp,
  projectId: number,
  branch = 'main',
  file = `f${Math.random()}`,
): Promise<string> {
  const start = branch === 'main' ? {} : { start_branch: 'main' };
  return (await commitFiles(app, projectId, { [file]: 'x' }, { branch, commit_message: `Add ${file}`, ...start })).id;
}

/** Makes a webhook. @param path of the project, group or server: `/projects/1` @returns it, as it is shown */
export const makeHook = async (app: TestApp, path: string, json: Json): Promise<Json & { id: number }> =>
  expectStatus<Json & { id: number }>(await app.post(`${path}/hooks`, { json }), 201);
