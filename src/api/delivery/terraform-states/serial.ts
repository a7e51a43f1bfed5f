import { checkShape } from '../../../http/params/json.ts';

/** Elements and keys in all of one state, and keys of one object: far more than 32 MiB of a real one have. */
const BOUNDS = { values: 4_000_000, keys: 1_000_000 };

/**
 * Reads what stands as `serial` in the bytes of a state.
 * @returns null where nothing does; undefined for what is no JSON object, or would grow out of bounds
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
