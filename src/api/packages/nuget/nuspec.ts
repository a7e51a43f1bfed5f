import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';

/** Dependencies for one framework, or for all. */
export interface DependencyGroup {
  targetFramework?: string;
  dependencies: { id: string; range: string }[];
}

/** Metadata in a `.nuspec`; missing texts are empty. */
export interface Nuspec {
  id: string;
  version: string;
  title: string;
  authors: string;
  description: string;
  summary: string;
  projectUrl: string;
  licenseUrl: string;
  iconUrl: string;
  tags: string[];
  dependencyGroups: DependencyGroup[];
  /** Whether it is a symbols package (`.snupkg`). */
  symbols: boolean;
}

/** An invalid `.nuspec`. */
export class NuspecError extends Error {
  override name = 'NuspecError';
}

const FIELDS = [
  'id',
  'version',
  'title',
  'authors',
  'description',
  'summary',
  'projectUrl',
  'licenseUrl',
  'iconUrl',
] as const;
const MAX_TEXT: Readonly<Record<string, number>> = { description: 4_000, tags: 4_000 };
const MAX_DEPTH = 20;
const MAX_DEPENDENCIES = 1_000;
const MAX_TAGS = 50;
const CHUNK = 64 * 1024;
const METADATA = 'package/metadata/';

/** Element name without its prefix. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Parses a `.nuspec`. @throws NuspecError */
export async function parseNuspec(text: string): Promise<Nuspec> {
  const nuspec: Nuspec = {
    ...{ id: '', version: '', title: '', authors: '', description: '', summary: '' },
    ...{ projectUrl: '', licenseUrl: '', iconUrl: '', tags: [], dependencyGroups: [], symbols: false },
  };
  const path: string[] = [];
  const texts = new Map<string, string>();
  let group: DependencyGroup | null = null;
  let dependencies = 0;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new NuspecError(error.message);
  });
  parser.on('doctype', () => {
    throw new NuspecError('document types are not allowed');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (path.push(local(name)) > MAX_DEPTH) throw new NuspecError('elements are nested too deeply');
    const at = path.join('/');
    if (at === `${METADATA}dependencies/group`) {
      group = { ...framework(attributes.targetFramework), dependencies: [] };
      nuspec.dependencyGroups.push(group);
    } else if (at === `${METADATA}dependencies/group/dependency` || at === `${METADATA}dependencies/dependency`) {
      if (path.length === 4 && group === null) {
        group = { dependencies: [] };
        nuspec.dependencyGroups.push(group);
      }
      const { id = '', version = '' } = attributes;
      if (id !== '') group?.dependencies.push({ id: id.slice(0, 255), range: version.slice(0, 255) });
    } else if (at === `${METADATA}packageTypes/packageType` && attributes.name === 'SymbolsPackage') {
      nuspec.symbols = true;
    }
    if (/\/dependencies\/.*(?:group|dependency)$/.test(at) && ++dependencies > MAX_DEPENDENCIES) {
      throw new NuspecError(`more than ${MAX_DEPENDENCIES} dependencies`);
    }
  });
  for (const kind of ['text', 'cdata'] as const) {
    parser.on(kind, (part) => {
      const name = path.at(-1) ?? '';
      if (path.length !== 3 || path[0] !== 'package' || path[1] !== 'metadata') return;
      const previous = texts.get(name) ?? '';
      texts.set(name, (previous + part).slice(0, MAX_TEXT[name] ?? 255));
    });
  }
  parser.on('closetag', () => {
    path.pop();
    if (path.join('/') === `${METADATA}dependencies`) group = null;
  });
  for (let at = 0; at < text.length; at += CHUNK) {
    parser.write(text.slice(at, at + CHUNK));
    await nextTurn();
  }
  parser.close();
  for (const field of FIELDS) nuspec[field] = (texts.get(field) ?? '').trim();
  const tags = (texts.get('tags') ?? '').split(/[\s,;]+/).filter((tag) => tag !== '');
  nuspec.tags = [...new Set(tags)].map((tag) => tag.slice(0, 255)).slice(0, MAX_TAGS);
  return nuspec;
}

const framework = (name: string | undefined) =>
  name === undefined || name === '' ? {} : { targetFramework: name.slice(0, 255) };
