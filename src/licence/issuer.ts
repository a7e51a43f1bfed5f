import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { StartupError } from '../core/startup-error.ts';

/** Writes a file that was not there, to the disk. */
async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Makes the key pair of an issuer of licenses: the private key in a file that its owner alone may read, the public one
 * beside it with `.pub`. What is there stays as it is.
 * @returns the public key as `STITHY_LICENSE_ISSUER` takes it
 * @throws StartupError
 */
export async function makeIssuer(path: string): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const line = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  try {
    await writeNew(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), 0o600);
    await writeNew(`${path}.pub`, `${line}\n`, 0o644);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartupError(
      code === 'EEXIST'
        ? `${path} or ${path}.pub is there already: keys are never written over. Choose another name.`
        : `The key pair cannot be written: ${message}.`,
    );
  }
  return line;
}

/**
 * The private key of an issuer.
 * @throws StartupError that says nothing of what is in the file
 */
export async function readIssuer(path: string): Promise<KeyObject> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`The private key of the issuer cannot be read: ${(error as Error).message}.`);
  }
  let key: KeyObject | null = null;
  try {
    key = createPrivateKey(text);
  } catch {
    // Said below.
  }
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new StartupError(`${path} holds no private key of an issuer, as "stithy license issuer" makes them.`);
  }
  return key;
}
