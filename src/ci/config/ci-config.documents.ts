import { createHash } from 'node:crypto';
import { EntryCache } from '../../core/cache/index.ts';
import { isMap, type RawMap } from './yaml/reference.ts';
import { YAML_LIMITS, type YamlLimits } from './yaml/sizes.ts';
import { readDocuments } from './yaml/yaml.compose.ts';
import { tooBig, YamlError } from './yaml/yaml-error.ts';

/** Maximum size of a file in bytes. */
export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_DOCUMENTS = 2;
const DIVIDER = /^---\s+/m;

/** A parsed file: its configuration, and the header (`spec:`) in a preceding document. */
export interface ConfigFile {
  header: RawMap | null;
  content: RawMap;
}

/** Cache of parsed texts, since included files are mostly unchanged. Data takes some 20 times its text. */
const cache = new EntryCache<string, ConfigFile | YamlError>('ci_files', {
  maxEntrySize: 128 * 1024,
});

/** Parses a file. The result may be shared, so it must not be changed. @throws YamlError in the platform's words */
export function readConfigFile(text: string, { parsedBytes, depth }: YamlLimits = YAML_LIMITS): ConfigFile {
  const size = Buffer.byteLength(text);
  if (size > MAX_FILE_BYTES) throw tooBig();
  const digest = createHash('sha256').update(text).digest('base64');
  const key = `${digest}:${parsedBytes}:${depth}`;
  let file = cache.get(key);
  if (file === undefined) {
    try {
      file = read(text, { parsedBytes, depth });
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      file = error;
    }
    cache.set(key, file, { size: size + 1000 });
  }
  if (file instanceof YamlError) throw file;
  return file;
}

function read(text: string, limits: YamlLimits): ConfigFile {
  // Documents are split before they are parsed: positions in errors count from the start of their document.
  const texts = text.split(DIVIDER, MAX_DOCUMENTS + 2);
  if (texts[0]?.trim() === '') texts.shift();
  if (texts.length > MAX_DOCUMENTS) throw new YamlError('The parsed YAML has too many documents');
  const documents = texts.map((each) => readMap(each, limits));
  const [first, second] = documents;
  if (first === undefined) throw new YamlError('Invalid configuration format');
  if (second === undefined || !('spec' in first)) return { header: null, content: first };
  return { header: first, content: second };
}

function readMap(text: string, limits: YamlLimits): RawMap {
  const [root] = readDocuments(text, 1, { limits });
  if (root === undefined || !isMap(root)) throw new YamlError('Invalid configuration format');
  return root;
}
