import type { Bit, Id } from '../columns.ts';

/** Key ids in signatures of a key: its own, and those of its subkeys. */
export interface GpgKeyIdsTable {
  id: Id;
  gpg_key_id: number;
  /** 16 hexadecimal digits in upper case. */
  keyid: string;
  is_primary: Bit;
}
