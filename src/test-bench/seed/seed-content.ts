import { SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Content of a file: a text, or `{base64: ...}`. @throws SeedMistake */
export function contentOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  const { base64 } = value as Item;
  if (typeof base64 !== 'string' || !BASE64.test(base64)) throw new SeedMistake('the content is not valid base64');
  return Buffer.from(base64, 'base64');
}
