import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openRecords, type Records } from '../crash/records.ts';
import type { Call } from '../support/api-client.ts';

/** A project that experiments work on. */
export interface MadeProject {
  id: number;
  fullPath: string;
  /** Its path in the API. */
  at: string;
}

/** The rows of a server's database, past the server. @param settings those of its database */
export const recordsOf = (dataDir: string, settings: Readonly<Record<string, string>>): Records =>
  openRecords(join(dataDir, 'stithy.db'), settings.STITHY_DATABASE_URL ?? null);

/** Where the repository of a project lies, in the one storage `default`. */
export async function repositoryDir(records: Records, dataDir: string, { id }: MadeProject): Promise<string> {
  const [row] = await records.query<{ disk_path: string }>(`select disk_path from projects where id = ${id}`);
  return join(dataDir, 'repositories', `${row!.disk_path}.git`);
}

/** Sends what must succeed. @throws AssertionError with the answer */
export async function must<T = Record<string, unknown>>(
  call: Call,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await call<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Commits a file of that name. @param from the branch that the branch starts from, where it is a new one */
export function commitFile(
  call: Call,
  at: string,
  branch: string,
  name: string,
  from?: string,
): Promise<{ id: string }> {
  const start = from === undefined ? {} : { start_branch: from };
  const actions = [{ action: 'create', file_path: name, content: `${name}\n`.repeat(50) }];
  return must(call, 'POST', `${at}/repository/commits`, { branch, ...start, commit_message: name, actions });
}

/** A project with two branches, a tag and an open merge request. */
export async function projectWithWork(call: Call, path: string): Promise<MadeProject> {
  const made = await must<{ id: number; path_with_namespace: string }>(call, 'POST', '/projects', {
    path,
    initialize_with_readme: true,
  });
  const at = `/projects/${made.id}`;
  await commitFile(call, at, 'main', 'folder/a.txt');
  await commitFile(call, at, 'topic', 'b.txt', 'main');
  await must(call, 'POST', `${at}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  await must(call, 'POST', `${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' });
  return { id: made.id, fullPath: made.path_with_namespace, at };
}
