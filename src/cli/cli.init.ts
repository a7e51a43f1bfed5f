import { writeFile } from 'node:fs/promises';
import { StartupError } from '../core/startup-error.ts';
import { SAMPLE_SEED } from '../test-bench/seed/seed-sample.ts';
import { parseCommand, printsHelp } from './command.ts';

const FILE = 'stithy.seed.yml';

const HELP = `Usage: stithy init [FILE]

Writes a commented seed file to begin with, ${FILE} by default. An existing file is kept.
`;

/** `stithy init`: writes a commented seed file. */
export async function initCommand(args: readonly string[]): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const file = parseCommand(args, HELP, {}, ({ positionals: [name = FILE, ...more] }) => {
    if (more.length > 0) throw new Error('expected at most one file.');
    return name;
  });
  try {
    await writeFile(file, SAMPLE_SEED, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartupError(code === 'EEXIST' ? `${file} exists; it was kept.` : message);
  }
  process.stdout.write(`Wrote ${file}. A server for tests with it: stithy serve --ephemeral --bench --seed ${file}\n`);
  return 0;
}
