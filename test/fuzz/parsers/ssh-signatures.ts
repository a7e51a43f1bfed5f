import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { isCertificate, readCertificate } from '../../../src/core/ssh-certificate.ts';
import { SshReader, sshString, uint32 } from '../../../src/core/ssh-fields.ts';
import { parseSshKey, SshKeyError } from '../../../src/core/ssh-key.ts';
import { readSshSignature } from '../../../src/core/ssh-signature.ts';
import { verifySshSignature } from '../../../src/core/ssh-verify.ts';
import type { Random } from '../../crash/random.ts';
import { keysOfAllKinds } from '../../support/ssh-keys.ts';
import type { CorpusInput, Fuzzer, Subject } from './fuzzer.ts';
import { mutated } from './mutate.ts';

/** Who has signed what, and whether it is right. */
interface Signed {
  key: Buffer;
  signature: Buffer;
  text: Buffer;
  valid: boolean;
}

function signedOf({ bytes }: CorpusInput): Signed {
  const { key, signature, text, valid } = JSON.parse(bytes.toString()) as Record<
    'key' | 'signature' | 'text',
    string
  > & {
    valid: boolean;
  };
  const hex = (digits: string) => Buffer.from(digits, 'hex');
  return { key: hex(key), signature: hex(signature), text: hex(text), valid };
}

function check({ key, signature, text, valid }: Signed): void {
  assert.equal(verifySshSignature(key, signature, text), valid, 'a signature is not what it should be');
}

/** A number of SSH may have more zeros in front than it needs. */
const bare = (signature: Buffer) => signature.toString('hex').replaceAll('00', '');

/** One of the three is changed: never is it good then. */
function damaged(signed: Signed, random: Random): void {
  const which = random.pick(['key', 'signature', 'signature', 'text'] as const);
  const changed = mutated(signed[which], random);
  if (changed.equals(signed[which]) || bare(changed) === bare(signed[which])) return;
  assert.ok(
    !verifySshSignature(
      which === 'key' ? changed : signed.key,
      which === 'signature' ? changed : signed.signature,
      which === 'text' ? changed : signed.text,
    ),
    `good with another ${which}: ${changed.toString('hex')}`,
  );
}

function rangeOnly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof SshKeyError)) throw error;
  }
}

/** Certificates: what is signed of a damaged one is not what was signed. */
function damagedCertificate(blob: Buffer, random: Random): void {
  const changed = mutated(blob, random);
  if (changed.equals(blob)) return;
  rangeOnly(() => {
    if (!isCertificate(changed)) return;
    const { authority, signature, signed } = readCertificate(changed);
    const good = verifySshSignature(authority, signature, signed);
    assert.ok(
      !good || bare(changed) === bare(blob),
      `a certificate is good that was changed: ${changed.toString('hex')}`,
    );
  });
}

const armoured = (bytes: Buffer) =>
  `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64')}\n-----END SSH SIGNATURE-----\n`;

/** Signatures of commits, keys of users and certificates, damaged. */
export const sshSignatures: Fuzzer = {
  name: 'ssh-signatures',
  cases: 50_000,
  caseMs: 500,
  open(corpus): Subject {
    const right = corpus.map(signedOf).filter(({ valid }) => valid);
    const { keys } = keysOfAllKinds();
    const certificates = keys.map(({ blob }) => blob).filter(isCertificate);
    const text = Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nx');
    const commits = keys
      .filter(({ blob }) => !isCertificate(blob))
      .map((key) => {
        const parts = ['git', '', 'sha512', hash('sha512', text, 'buffer')].map(sshString);
        const signature = key.sign(Buffer.concat([Buffer.from('SSHSIG'), ...parts]));
        const fields = ['git', '', 'sha512', signature].map(sshString);
        return Buffer.concat([Buffer.from('SSHSIG'), uint32(1), sshString(key.blob), ...fields]);
      });
    return {
      replay: (each) => check(signedOf(each)),
      async one(random) {
        const share = random.below(10);
        if (share < 5) return damaged(random.pick(right), random);
        if (share < 7) return damagedCertificate(random.pick(certificates), random);
        if (share < 8) {
          const { blob } = random.pick(keys);
          const changed = mutated(blob, random);
          return rangeOnly(() => {
            parseSshKey(
              `${new SshReader(random.below(2) === 0 ? blob : changed).text()} ${changed.toString('base64')} x`,
            );
          });
        }
        const whole = random.pick(commits);
        const changed = mutated(whole, random);
        const signature = await readSshSignature(armoured(changed), text);
        assert.ok(signature?.valid !== true || bare(changed) === bare(whole), changed.toString('hex'));
      },
      close: async () => {
        for (const whole of commits) assert.equal((await readSshSignature(armoured(whole), text))?.valid, true);
      },
    };
  },
};
