import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { expectStatus, ROOT_TOKEN, type TestApp } from './app.ts';
import { ProjectGit } from './project-git.ts';

/** A content with the pointer that the LFS program would commit for it. */
export interface LfsContent {
  content: string;
  oid: string;
  size: number;
  text: string;
}

export function lfsContent(content: string): LfsContent {
  const oid = createHash('sha256').update(content).digest('hex');
  const size = Buffer.byteLength(content);
  const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  return { content, oid, size, text };
}

/** Gives a project an object, as an upload does. */
export async function putLfs(app: TestApp, { id }: Project, { content, oid, size }: LfsContent): Promise<void> {
  await app.deps.blobs.put(Readable.from([Buffer.from(content)]), { maxBytes: size });
  await app.deps.db
    .insertInto('lfs_objects')
    .values({ project_id: id, oid, size, created_at: '2026-01-01T00:00:00.000Z' })
    .execute();
}

/** The objects of a project whose bytes are there, sorted. */
export async function lfsOf(app: TestApp, id: number): Promise<string[]> {
  const rows = await app.deps.db
    .selectFrom('lfs_objects')
    .select(['oid', 'size'])
    .where('project_id', '=', id)
    .execute();
  const there = await Promise.all(
    rows.map(async ({ oid, size }) => ((await app.deps.blobs.stat(oid))?.size === size ? [oid] : [])),
  );
  return there.flat().sort();
}

let count = 0;
/** A content that nobody else has. */
export const freshContent = (): LfsContent => lfsContent(`large file ${process.pid} ${++count}`);

type Json = Record<string, unknown>;

/**
 * A project on one server, with a project on another that follows it. Both are from `buildTestApp` with
 * `STITHY_ALLOW_LOCAL_NETWORK`.
 */
export async function lfsScene(near: TestApp, far: TestApp) {
  const base = await far.listen();
  const source = await far.make.project();
  const copy = await near.make.project();
  const from = new ProjectGit(far, source);
  const to = new ProjectGit(near, copy);
  const path = `/projects/${copy.id}/mirror/pull`;
  const url = `${base}/${source.full_path}.git`.replace('//', `//root:${ROOT_TOKEN}@`);
  const state = async () => expectStatus<Json>(await near.get(path), 200);
  /** Sets the mirror up, and brings it up to date. */
  const follow = async (json: Json = {}) => {
    expectStatus(await near.put(path, { json: { enabled: true, url, ...json } }), 200);
    await near.drain();
    return state();
  };
  /** Brings it up to date again. */
  const update = async () => {
    expectStatus(await near.post(path), 202);
    await near.drain();
    return state();
  };
  const commit = (name: string, content: LfsContent, branch = 'main') => from.commit(branch, { [name]: content.text });
  /** How often something of the source was asked for so far. */
  const asked = (part: string) =>
    far.logLines
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(`${source.full_path}.git/`) && line.includes(part)).length;
  return { base, source, copy, from, to, path, url, follow, update, commit, state, asked };
}
