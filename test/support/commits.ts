import { expectStatus, type TestApp } from './app.ts';

/** A commit as it is answered, as far as tests look at it. */
interface Commit {
  id: string;
  committed_date: string;
  web_url: string;
}

/**
 * Commits through the API, which is a push like any other.
 * @param files new ones by their paths, or actions as the endpoint takes them
 * @param options what the endpoint takes beside them, `branch` is `main` where it is left out; `token` and `headers` of the call
 */
export async function commitFiles(
  app: TestApp,
  projectId: number,
  files: Readonly<Record<string, string>> | readonly object[],
  {
    token,
    headers = {},
    ...more
  }: {
    token?: string | undefined;
    headers?: Record<string, string>;
    branch?: string;
    start_branch?: string;
    commit_message?: string;
    [attribute: string]: unknown;
  } = {},
): Promise<Commit> {
  const actions = Array.isArray(files)
    ? files
    : Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  const answer = await app.post(`/projects/${projectId}/repository/commits`, {
    ...(token === undefined ? {} : { token }),
    headers,
    json: { branch: 'main', commit_message: 'Change files', actions, ...more },
  });
  return expectStatus<Commit>(answer, 201);
}
