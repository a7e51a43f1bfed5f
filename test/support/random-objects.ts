import { Random } from '../crash/random.ts';
import { data } from './fast-import.ts';

export { Random };

const LINES = 60;

/**
 * Commits of random changes, as git-fast-import reads them: on three branches with merges, in files that grow line by
 * line, in folders, with files that go and come again.
 * @param made the branches that there are; gets those that are made
 */
export function randomCommits(random: Random, commits: number, made: Set<string>): string {
  const commands: string[] = [];
  const here = new Set<string>();
  const tipOf = (branch: string) => (here.has(branch) ? branch : `${branch}^0`);
  for (let n = 0; n < commits; n += 1) {
    const branch = `refs/heads/b${random.below(3)}`;
    const other = `refs/heads/b${random.below(3)}`;
    commands.push(`commit ${branch}`, `committer A <a@example.com> ${1_700_000_000 + random.below(1e6)} +0000`);
    commands.push(data(`${random.text(60)}\n`));
    if (made.has(branch) && !here.has(branch)) commands.push(`from ${branch}^0`);
    if (other !== branch && made.has(other) && random.below(5) === 0) commands.push(`merge ${tipOf(other)}`);
    for (let files = random.below(4); files >= 0; files -= 1) {
      const path = `d${random.below(4)}/${random.below(3)}/f${random.below(12)}`;
      if (random.below(8) === 0) commands.push(`D ${path}`);
      else commands.push(`M 100644 inline ${path}`, data(text(random)));
    }
    commands.push('');
    here.add(branch);
    made.add(branch);
  }
  return `${commands.join('\n')}\n`;
}

/** A text that shares most of its lines with others. */
function text(random: Random): string {
  const lines = Array.from({ length: 1 + random.below(LINES) }, (_, n) => `line ${n} ${'of a text '.repeat(n % 7)}`);
  lines[random.below(lines.length)] = random.text(80);
  return `${lines.join('\n')}\n`;
}
