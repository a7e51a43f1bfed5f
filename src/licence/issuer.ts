import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { StartupError } from '../core/startup-error.ts';

/** Writes a new file, durably. */
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
 * Creates the key pair of a license issuer: the private key in a file that only its owner can read, the public key
 * beside it with `.pub`. Existing files are not changed.
 * @returns the public key in the format of `STITHY_LICENSE_ISSUER`
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
        ? `${path} or ${path}.pub already exists, and keys are never overwritten. Choose another name.`
        : `The key pair cannot be written: ${message}.`,
    );
  }
  return line;
}

/**
 * Reads the private key of an issuer.
 * @throws StartupError, without revealing the content of the file
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
    // Reported below.
  }
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new StartupError(`${path} is not the private key of an issuer, as created by "stithy license issuer".`);
  }
  return key;
}
