import { expectStatus, type TestApp } from './app.ts';

type Json = Record<string, unknown>;

/** Commits a file through the API, which is a push like any other. @returns id of the commit */
export async function pushTo(
  app: TestApp,
  projectId: number,
  branch = 'main',
  file = `f${Math.random()}`,
): Promise<string> {
  const actions = [{ action: 'create', file_path: file, content: 'x' }];
  const json = {
    branch,
    commit_message: `Add ${file}`,
    actions,
    ...(branch === 'main' ? {} : { start_branch: 'main' }),
  };
  const made = expectStatus<Json>(await app.post(`/projects/${projectId}/repository/commits`, { json }), 201);
  return String(made.id);
}

/** Makes a webhook. @param path of the project, group or server: `/projects/1` @returns it, as it is shown */
export const makeHook = async (app: TestApp, path: string, json: Json): Promise<Json & { id: number }> =>
  expectStatus<Json & { id: number }>(await app.post(`${path}/hooks`, { json }), 201);
