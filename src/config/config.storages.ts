import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './env.ts';

export interface StorageConfig {
  name: string;
  path: string;
  /** Relative share of new repositories; 0 for none. */
  weight: number;
}

/**
 * Parses a list of storages, `name=path` or `name=path=weight`.
 * @param where source of the list, for messages
 * @throws ConfigError
 */
export function parseStorages(entries: readonly string[], where: string): StorageConfig[] {
  const list = entries.map((part): StorageConfig => {
    const [name = '', path = '', weight = '100', ...rest] = part.trim().split('=');
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || path === '' || rest.length > 0 || !/^\d{1,6}$/.test(weight)) {
      throw new ConfigError(`${where} must look like "default=/path,second=/path=50", not "${part}".`);
    }
    return { name, path, weight: Number(weight) };
  });
  if (new Set(list.map(({ name }) => name)).size !== list.length) {
    throw new ConfigError(`${where} contains the same storage name twice.`);
  }
  if (new Set(list.map(({ path }) => path)).size !== list.length) {
    throw new ConfigError(`${where} contains the same folder twice.`);
  }
  if (!list.some(({ weight }) => weight > 0)) {
    throw new ConfigError(`${where} must contain a storage with a weight above 0 for new repositories.`);
  }
  return list;
}

/**
 * Reads a file with one storage per line; empty lines and lines that begin with `#` are ignored.
 * @throws ConfigError
 */
export function readStoragesFile(path: string): StorageConfig[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`STITHY_STORAGES_FILE cannot be read: ${(error as Error).message}`);
  }
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const list = parseStorages(lines, `The file ${path} of STITHY_STORAGES_FILE`);
  return list.map((storage) => ({ ...storage, path: resolve(storage.path) }));
}
