import { tar, zip } from './archives.ts';
import type { Fuzzer } from './fuzzer.ts';
import { packs } from './packs.ts';
import { pgp } from './pgp.ts';
import { ssh } from './ssh.ts';
import { sshSignatures } from './ssh-signatures.ts';
import { yaml } from './yaml.ts';

/** What can be fuzzed by name. */
export const FUZZERS: readonly Fuzzer[] = [ssh, sshSignatures, yaml, pgp, packs, zip, tar];
