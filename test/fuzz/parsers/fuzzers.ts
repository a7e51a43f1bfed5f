import type { Fuzzer } from './fuzzer.ts';

/** What can be fuzzed, by name. Each is loaded when it is fuzzed: they come to much of the server, and each has a thread of its own. */
export const FUZZERS: Readonly<Record<string, () => Promise<Fuzzer>>> = {
  ssh: async () => (await import('./ssh.ts')).ssh,
  'ssh-signatures': async () => (await import('./ssh-signatures.ts')).sshSignatures,
  yaml: async () => (await import('./yaml.ts')).yaml,
  pgp: async () => (await import('./pgp.ts')).pgp,
  packs: async () => (await import('./packs.ts')).packs,
  zip: async () => (await import('./archives.ts')).zip,
  tar: async () => (await import('./archives.ts')).tar,
};
