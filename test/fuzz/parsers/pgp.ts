import assert from 'node:assert/strict';
import { isSignedBy, type PgpPublicKey, readPgpKey } from '../../../src/core/pgp/pgp.key.ts';
import { hasSeveralSignatures, type PgpSignature, readPgpSignature } from '../../../src/core/pgp/pgp.signature.ts';
import type { CorpusInput, Fuzzer, Subject } from './fuzzer.ts';
import { mutated } from './mutate.ts';

const KEY = 'PUBLIC KEY BLOCK';
const SIGNATURE = 'SIGNATURE';

const armoured = (bytes: Buffer, kind: string) =>
  `-----BEGIN PGP ${kind}-----\n\n${bytes.toString('base64')}\n-----END PGP ${kind}-----\n`;

/** The packets in an armoured text. */
const packetsOf = (text: string): Buffer =>
  Buffer.from(
    text
      .split('\n')
      .filter((line) => /^[A-Za-z0-9+/]+={0,2}$/.test(line))
      .join(''),
    'base64',
  );

/** What a signature says and proves; not what stands beside it unsigned. */
const proven = ({ trailer, value }: PgpSignature): string =>
  `${trailer.toString('hex')} ${value.toString('hex').replace(/^(?:....)?0*/, '')}`;

/** What a key may do, and whose it is. */
const claims = ({ keys, userIds }: PgpPublicKey) => ({
  keys: keys.map(({ keyid, from, until, signs }) => ({ keyid, from, until, signs })),
  userIds,
});

/** Keys of users and signatures of commits. */
export const pgp: Fuzzer = {
  name: 'pgp',
  cases: 30_000,
  caseMs: 500,
  open(corpus): Subject {
    const file = (name: string) => corpus.find((each) => each.file === name)!.bytes;
    const payload = file('payload');
    const ending = (end: string) => corpus.filter((each) => each.file.endsWith(end));
    const keys = ending('.asc').map(({ bytes }) => ({ text: bytes.toString(), packets: packetsOf(bytes.toString()) }));
    const signatures = ending('.sig').map(({ bytes }) => bytes.toString());
    const others = keys.map(({ packets }) => packets);
    const read = keys.map(({ text }) => readPgpKey(text)!);
    return {
      async replay({ file: name, bytes }: CorpusInput) {
        if (name.endsWith('.asc')) assert.ok(readPgpKey(bytes.toString()), name);
        if (!name.endsWith('.sig')) return;
        const signature = readPgpSignature(bytes.toString())!;
        const good = await Promise.all(read.map((key) => isSignedBy(key, signature, payload)));
        assert.equal(good.includes(true), !name.startsWith('not-'), name);
      },
      async one(random) {
        if (random.below(2) === 0) {
          const key = random.pick(keys);
          const changed = readPgpKey(armoured(mutated(key.packets, random, others), KEY));
          const right = claims(readPgpKey(key.text)!);
          if (changed === null || changed.keyid !== right.keys[0]!.keyid) return;
          // Parts may be missing, and with them what they allow; nothing may be there that was not.
          const ids = right.userIds.map(({ name, email }) => `${name} ${email}`);
          for (const { name, email } of changed.userIds)
            assert.ok(ids.includes(`${name} ${email}`), `${name} ${email}`);
          for (const each of changed.keys) {
            if (each.signs)
              assert.ok(
                right.keys.some(({ keyid }) => keyid === each.keyid),
                each.keyid,
              );
          }
          return;
        }
        const text = random.pick(signatures);
        const right = readPgpSignature(text)!;
        const changed = armoured(mutated(packetsOf(text), random, others), SIGNATURE);
        hasSeveralSignatures(changed);
        const signature = readPgpSignature(changed);
        if (signature === null || proven(signature) === proven(right)) return;
        for (const key of read) assert.ok(!(await isSignedBy(key, signature, payload)), 'a damaged signature is good');
      },
    };
  },
};
