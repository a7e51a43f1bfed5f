import { readdirSync, readFileSync } from 'node:fs';

type RunGit = (args: readonly string[], input?: string) => string;

/**
 * Makes a branch whose files are ten folders in ten folders, and so on, of a few objects: ten thousand million files.
 * @param run runs git in the repository
 * @returns the id of its commit, whose parent has no file
 */
export function makeTreeBomb(run: RunGit, branch = 'bomb', levels = 10): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const blob = run(['hash-object', '-w', '--stdin'], 'boom\n');
  const names = Array.from({ length: 10 }, (_, index) => index);
  let tree = run(['mktree'], names.map((name) => `100644 blob ${blob}\tf${name}\n`).join(''));
  for (let level = 1; level < levels; level += 1) {
    tree = run(['mktree'], names.map((name) => `040000 tree ${tree}\td${name}\n`).join(''));
  }
  const empty = run(['mktree'], '');
  const start = run([...identity, 'commit-tree', '-m', 'Start', empty]);
  const bomb = run([...identity, 'commit-tree', '-p', start, '-m', 'Bomb', tree]);
  run(['update-ref', `refs/heads/${branch}`, bomb]);
  return bomb;
}

/** Git processes that are at work on a repository, those that wait warm for questions left out (Linux). */
export function workingOn(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return command.includes(`--git-dir=${dir}\0`) && !/--batch-command|update-ref/.test(command);
      } catch {
        return false;
      }
    })
    .map(Number);
}
