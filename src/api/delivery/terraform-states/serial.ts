import { checkShape } from '../../../http/params/json.ts';

/**
 * Maximum number of elements and keys in a state, and of keys in an object: far more than 32 MiB of a real one have.
 */
const BOUNDS = { values: 4_000_000, keys: 1_000_000 };

/**
 * Reads `serial` from the bytes of a state.
 * @returns null if it is absent; undefined for invalid JSON, for other values than objects, and above the bounds
 */
export function readSerial(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    checkShape(text, BOUNDS);
    const state: unknown = JSON.parse(text);
    if (typeof state !== 'object' || state === null || Array.isArray(state)) return undefined;
    return 'serial' in state ? state.serial : null;
  } catch {
    return undefined;
  }
}
