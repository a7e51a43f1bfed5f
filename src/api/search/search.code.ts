import type { Static } from 'typebox';
import { TextDecoding } from '../../git/common/index.ts';
import { listCommits } from '../../git/history/index.ts';
import { resolveRevision } from '../../git/repository/index.ts';
import { uncountedPage } from '../../http/listing.ts';
import { presentCommit } from '../code/index.ts';
import { readCodeQuery } from './code-query.ts';
import { type FileMatch, findByContent, findByPath } from './grep.ts';
import { gather } from './search.gather.ts';
import type { Search } from './search.place.ts';
import { repositoriesToSearch, type SearchedCommit } from './search.repositories.ts';
import type { FoundBlob, FoundCommit, FoundWikiBlob } from './search.responses.ts';

/** Processor time in milliseconds of each git process: in the only repository, and in one of many. */
const CPU_MS = { one: 10_000, many: 1_000 };
/** Bytes of lines that one search keeps. */
const MAX_KEPT = 2 * 1024 * 1024;
/** Memory for bytes, text and JSON, per byte. */
const MEMORY_FACTOR = 4;
/** Bytes shown of a file whose path matches, and maximum size of the files that are read for them. */
const MAX_BEGINNING = 1024;
const MAX_READ = 256 * 1024;
const OBJECT_ID = /^[0-9a-f]{7,64}$/i;
const CONTEXT_LINES = 2;

type Match = FileMatch & { commit: SearchedCommit };

/** Searches files of projects, or of wikis. */
export async function findBlobs(search: Search, kind: 'project' | 'wiki') {
  const { c, input } = search;
  const query = readCodeQuery(input.search);
  if (query.isEmpty) return c.page([]);
  const holders = await repositoriesToSearch(search, kind);
  await c.hold(MAX_KEPT * MEMORY_FACTOR);
  const memory = { bytes: MAX_KEPT };
  const cpuMs = holders.length > 1 ? CPU_MS.many : CPU_MS.one;
  const contextLines = input.num_context_lines ?? CONTEXT_LINES;
  const find = async (commit: SearchedCommit, limit: number, found: Match[]) => {
    const add = (match: FileMatch) => found.push(Object.assign(match, { commit }));
    await findByPath(commit.repo, commit.oid, query, { matches: limit, cpuMs, contextLines, memory }, add);
    const limits = { matches: limit - found.length, cpuMs, contextLines, memory };
    await findByContent(commit.repo, commit.oid, query, limits, add);
  };
  return c.page(
    async ({ offset, size }) => {
      const matches = await gather(c.deps, holders, { wanted: offset + size + 1, ref: input.ref, atOnce: 4, find });
      return uncountedPage(matches.slice(offset), size);
    },
    async (matches) => {
      const decoding = new TextDecoding();
      const shown = [];
      for (const match of matches) shown.push(await presentMatch(match, kind, decoding));
      return shown;
    },
  );
}

/** The beginning of a file; empty for a large or binary one. */
async function beginningOf({ commit, oid }: Match): Promise<Buffer> {
  const data = (await commit.repo.objects.read(oid!, MAX_READ))?.data ?? Buffer.alloc(0);
  return data.includes(0) ? Buffer.alloc(0) : data.subarray(0, MAX_BEGINNING);
}

async function presentMatch(
  match: Match,
  kind: 'project' | 'wiki',
  decoding: TextDecoding,
): Promise<Static<typeof FoundBlob> | Static<typeof FoundWikiBlob>> {
  const { lines, startline, oid, commit } = match;
  const bytes =
    lines === null ? await beginningOf(match) : Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  const path = match.path.toWellFormed();
  const { projectId, groupId } = commit.holder;
  const found = {
    basename: path.replace(/(?<=[^/])\.[^./]*$/, ''),
    data: await decoding.text(bytes),
    path,
    filename: path,
    id: oid,
    ref: commit.ref,
    startline,
  };
  return kind === 'wiki'
    ? { ...found, project_id: projectId, group_id: groupId }
    : { ...found, project_id: projectId! };
}

/** Searches messages of commits, and finds a commit by its id. */
export async function findCommits(search: Search) {
  const { c, input } = search;
  const text = input.search.trim();
  if (text === '') return c.page([]);
  const holders = await repositoriesToSearch(search, 'project');
  const find = async (commit: SearchedCommit, limit: number, found: { commit: SearchedCommit; oid: string }[]) => {
    const { repo } = commit;
    const named = OBJECT_ID.test(text) ? await resolveRevision(repo, text) : null;
    if (named !== null) found.push({ commit, oid: named.oid });
    for (const oid of await listCommits(repo, { from: [commit.oid], search: text, limit })) {
      if (oid !== named?.oid) found.push({ commit, oid });
    }
  };
  return c.page(
    async ({ offset, size }) => {
      // History is read in this thread.
      const matches = await gather(c.deps, holders, { wanted: offset + size + 1, ref: input.ref, atOnce: 1, find });
      return uncountedPage(matches.slice(offset), size);
    },
    async (matches) => {
      const shown: Static<typeof FoundCommit>[] = [];
      for (const { commit, oid } of matches) {
        const read = await commit.repo.objects.commit(oid);
        if (read === null) continue;
        shown.push({ ...presentCommit(read, commit.holder.url), project_id: commit.holder.projectId! });
      }
      return shown;
    },
  );
}
