/** Contents of a `conaninfo.txt`. */
export interface ConanInfo {
  /** The file itself, for Conan 2. */
  content: string;
  settings: Record<string, string>;
  options: Record<string, string>;
  requires: string[];
  full_requires: string[];
  recipe_hash?: string;
}

const SECTION = /^\[(\w+)\]$/;

/** Parses a `conaninfo.txt`, ignoring unknown sections. */
export function parseInfo(content: string): ConanInfo {
  const info: ConanInfo = { content, settings: {}, options: {}, requires: [], full_requires: [] };
  const settings = new Map<string, string>();
  const options = new Map<string, string>();
  const maps = new Map([
    ['settings', settings],
    ['options', options],
  ]);
  let section = '';
  for (const line of content.split(/\r?\n/).map((each) => each.trim())) {
    const head = SECTION.exec(line)?.[1];
    if (head !== undefined) {
      section = head;
      continue;
    }
    if (line === '') continue;
    if (section === 'requires' || section === 'full_requires') info[section].push(line);
    if (section === 'recipe_hash') info.recipe_hash = line;
    const at = line.indexOf('=');
    if (at > 0) maps.get(section)?.set(line.slice(0, at), line.slice(at + 1));
  }
  info.settings = Object.fromEntries(settings);
  info.options = Object.fromEntries(options);
  return info;
}
