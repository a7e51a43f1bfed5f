/** Packages of another release of Debian than the machine's own, by its own apt and from where it gets its own; nothing is installed. */
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Missing, tool } from './tools.ts';

const SETTINGS = '/etc/apt';

/** One source of packages as apt writes it: a line, or a paragraph of a `.sources` file. */
const entriesOf = (file: string, text: string): string[] => text.split(file.endsWith('.sources') ? /\n\s*\n/ : '\n');

/** @returns the entry for another release; null where it is not of the main archive of the machine's release */
function moved(entry: string, from: string, to: string): string | null {
  const suites = /^Suites:(.*)$/m;
  const words = suites.exec(entry)?.[1]?.trim().split(/\s+/);
  if (words?.includes(from)) return entry.replace(suites, `Suites: ${to}`);
  const line = new RegExp(`^(deb\\s+(?:\\[[^\\]]*\\]\\s+)?\\S+\\s+)${from}(\\s)`);
  return line.test(entry) ? entry.replace(line, `$1${to}$2`) : null;
}

async function writeSources(folder: string, release: string): Promise<void> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(system)?.[1];
  if (!/^ID=debian$/m.test(system) || codename === undefined) throw new Missing('this machine does not run Debian');
  let count = 0;
  for (const file of globSync(['sources.list', 'sources.list.d/*.{list,sources}'], { cwd: SETTINGS })) {
    const entries = entriesOf(file, await readFile(join(SETTINGS, file), 'utf8'));
    const mine = entries.flatMap((entry) => moved(entry, codename, release) ?? []);
    count += mine.length;
    if (mine.length > 0) await writeFile(join(folder, basename(file)), `${mine.join('\n\n')}\n`);
  }
  if (count === 0) throw new Missing('apt has no source of Debian on this machine');
}

/**
 * Brings a package and unpacks it.
 * @param release codename of Debian's release
 * @param folder where its files go; what apt keeps lies in `apt` below it meanwhile
 * @throws Missing where the machine's apt cannot do it
 */
export async function unpackDebian(name: string, release: string, folder: string): Promise<void> {
  const apt = join(folder, 'apt');
  await rm(apt, { recursive: true, force: true });
  for (const part of ['sources', 'lists/partial', 'cache/archives/partial', 'packages']) {
    await mkdir(join(apt, part), { recursive: true });
  }
  await writeSources(join(apt, 'sources'), release);
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(apt, 'sources'),
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const packages = join(apt, 'packages');
  tool('apt-get', [...options, '--quiet', 'update']);
  tool('apt-get', [...options, '--quiet', 'download', name], packages);
  for (const file of globSync('*.deb', { cwd: packages })) tool('dpkg-deb', ['-x', join(packages, file), folder]);
  await rm(apt, { recursive: true });
}
