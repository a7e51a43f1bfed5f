import { writePathIndexes } from '../../src/git/commit-graph/write-path-index.ts';
import { writeStats } from '../../src/git/commit-graph/write-stats-index.ts';
import { statsOf } from '../../src/git/diff/index.ts';
import {
  blame,
  countCommits,
  divergence,
  isAncestor,
  type LogQuery,
  lastCommitOf,
  listCommits,
  mergeBase,
  mergedInto,
  refsContaining,
} from '../../src/git/history/index.ts';
import type { GitFixture } from './git-fixture.ts';
import { type Random, randomHistory, randomNumbers } from './random-history.ts';

export interface GeneratedRepository extends GitFixture {
  graph: (typeof GRAPHS)[number];
  random: Random;
  paths: readonly string[];
  /** Every commit, the oldest first. */
  oids: readonly string[];
}

/** How much of a history the commit-graph has. */
export const GRAPHS = ['none', 'whole', 'layers', 'part'] as const;

/** Which layers of it have indexes. */
export const INDEXED = ['no layer', 'the first layer', 'all layers'] as const;

export interface HistoryShape {
  seed: number;
  graph: (typeof GRAPHS)[number];
  indexed: (typeof INDEXED)[number];
  /** Whether clocks are wrong. */
  skewed: boolean;
  commits: number;
}

/** Fills a repository with a generated history and writes a commit-graph. */
export async function generateHistory(
  fixture: GitFixture,
  { seed, graph, indexed, skewed, commits }: HistoryShape,
): Promise<GeneratedRepository> {
  const random = randomNumbers(seed);
  const { input, paths } = randomHistory(random, { commits, skewed });
  fixture.git(['fast-import', '--quiet', '--date-format=raw-permissive'], input);
  const names = Array.from({ length: commits }, (_, at) => `c${at}`);
  const oids = fixture.git(['rev-parse', ...names]).split('\n');
  const write = (part: number) => {
    const tips = `${oids.slice(0, Math.ceil(commits * part)).join('\n')}\n`;
    const split = graph === 'whole' ? [] : ['--split=no-merge'];
    fixture.git(['commit-graph', 'write', '--stdin-commits', '--changed-paths', ...split], tips);
  };
  const parts = { none: [], whole: [1], layers: [0.3, 0.6, 0.9, 1], part: [0.25, 0.7] }[graph];
  for (const [nth, part] of parts.entries()) {
    write(part);
    const isDue = nth === (indexed === 'all layers' ? parts.length - 1 : 0);
    if (indexed === 'no layer' || !isDue) continue;
    await writePathIndexes(fixture.dir);
    while (await writeStats(fixture.dir));
  }
  return { ...fixture, graph, random, paths, oids };
}

/** Asks the reader and git the same at random, and says of which questions the answers differ. */
export async function askBoth(made: GeneratedRepository, questions: number): Promise<string[]> {
  const { git, repo, paths, oids, random } = made;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const differing: string[] = [];
  const same = (what: string, actual: unknown, expected: unknown) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) differing.push(`${what}: ${actual}, git ${expected}`);
  };
  for (let question = 0; question < questions; question += 1) {
    const [a, b, c, path] = [pick(oids), pick(oids), pick(oids), pick(paths)];
    if (!path.endsWith('/')) {
      same(`last ${path} ${a}`, await lastCommitOf(repo, a, path), git(['rev-list', '-1', a, '--', path]) || null);
    }
    const blamed = await blame(repo, a, path).then(
      ({ ranges }) => ranges.flatMap((range) => range.lines.map(() => range.oid)),
      () => [],
    );
    const lineOf = /^[0-9a-f]{40} \d+ \d+/;
    const byGit = lines(gitOr(git, ['blame', '--line-porcelain', a, '--', path])).filter((line) => lineOf.test(line));
    same(
      `blame ${path} ${a}`,
      blamed,
      byGit.map((line) => line.slice(0, 40)),
    );
    const bases = lines(gitOr(git, ['merge-base', '--all', a, b]));
    const base = await mergeBase(repo, [a, b]);
    same(`base ${a} ${b}`, base, newest(git, bases).includes(base ?? '') ? base : (bases[0] ?? null));
    const several = await mergeBase(repo, [a, b, c]);
    const expected = lines(gitOr(git, ['merge-base', '--all', a, b, c]));
    same(
      `bases ${a} ${b} ${c}`,
      several,
      newest(git, expected).includes(several ?? '') ? several : (expected[0] ?? null),
    );
    const above = new Set(lines(git(['rev-list', a])));
    same(`ancestor ${b} ${a}`, await isAncestor(repo, b, a), above.has(b));
    const some = oids.filter(() => random(4) === 0);
    same(`merged ${a}`, [...(await mergedInto(repo, some, a))].sort(), some.filter((oid) => above.has(oid)).sort());
    const other = new Set(lines(git(['rev-list', b])));
    const ahead = [...above].filter((oid) => !other.has(oid)).length;
    const behind = [...other].filter((oid) => !above.has(oid)).length;
    same(`divergence ${a} ${b}`, await divergence(repo, a, b), { ahead, behind });
    same(`count ${a} not ${b}`, await countCommits(repo, [a], { not: [b] }), ahead);
    same(`count ${a}`, await countCommits(repo, [a]), above.size);
    const chain = Number(git(['rev-list', '--count', '--first-parent', a]));
    same(`count of first parents ${a}`, await countCommits(repo, [a], { firstParent: true }), chain);
    const size = git(['diff-tree', '--root', '--shortstat', '--find-renames', '--diff-merges=first-parent', a]);
    const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(size)?.[1] ?? 0);
    const counted = { additions: number('insertion'), deletions: number('deletion') };
    same(`lines of ${a}`, Object.entries((await statsOf(repo, [a])).get(a) ?? {}), Object.entries(counted));
    const query = randomQuery(made);
    const listed = await listCommits(repo, query);
    same(JSON.stringify(query), listed, lines(git(['rev-list', ...argumentsOf(query)])));
    const containing = lines(git(['for-each-ref', '--format=%(refname)', `--contains=${a}`, 'refs/heads/']));
    same(`containing ${a}`, await refsContaining(repo, a, ['refs/heads/']), containing);
  }
  return differing;
}

/** A question for commits: in nine of ten cases about few. */
function randomQuery({ graph, oids, paths, random }: GeneratedRepository): LogQuery {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const maybe = (chance: number): boolean => random(chance) === 0;
  const some = () => Array.from({ length: 1 + random(3) }, () => pick(oids));
  const date = () => new Date((1_700_000_000 + random(12_000)) * 1000);
  const order = maybe(3) ? 'topo' : 'default';
  // Without a graph git orders what it has chosen before, by clocks that may be wrong and by all parents; with one it does as is
  // done here.
  const guesses = order === 'topo' && graph === 'none';
  return {
    from: some(),
    not: maybe(2) && !guesses ? some() : [],
    path: maybe(3) ? undefined : pick(paths),
    author: maybe(5) ? pick(['ada', 'BOB@', 'JOS\u00c9']) : undefined,
    search: maybe(5) ? pick(['kind 2', 'word', 'commit 1']) : undefined,
    since: maybe(5) && !guesses ? date() : undefined,
    until: maybe(5) && !guesses ? date() : undefined,
    firstParent: maybe(4) && !guesses,
    noMerges: maybe(4),
    order,
    skip: maybe(4) ? random(5) : 0,
    limit: maybe(10) ? 100 : 1 + random(20),
  };
}

/** The question as git is asked. */
function argumentsOf(query: LogQuery): string[] {
  const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
  const { author, search, since, until, path } = query;
  return [
    `--max-count=${query.limit}`,
    `--skip=${query.skip ?? 0}`,
    ...(query.order === 'topo' ? ['--topo-order'] : []),
    ...(query.firstParent ? ['--first-parent'] : []),
    ...(query.noMerges ? ['--no-merges'] : []),
    ...(author || search ? ['--fixed-strings', '--regexp-ignore-case', '--all-match'] : []),
    ...(author ? [`--author=${author}`] : []),
    ...(search ? [`--grep=${search}`] : []),
    ...(since ? [`--max-age=${seconds(since)}`] : []),
    ...(until ? [`--min-age=${seconds(until)}`] : []),
    ...query.from,
    ...(query.not ?? []).map((oid) => `^${oid}`),
    '--',
    ...(path === undefined ? [] : [path]),
  ];
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

function gitOr(git: GitFixture['git'], args: readonly string[]): string {
  try {
    return git(args);
  } catch {
    return '';
  }
}

/** Those of the newest date: which of these git prints first depends on whether it has a graph. */
function newest(git: GitFixture['git'], oids: readonly string[]): string[] {
  if (oids.length < 2) return [...oids];
  const dated = lines(git(['rev-list', '--no-walk=unsorted', '--timestamp', ...oids])).map((line) => line.split(' '));
  const latest = Math.max(...dated.map(([date]) => Number(date)));
  return dated.filter(([date]) => Number(date) === latest).map(([, oid]) => oid!);
}
