import { npmError } from './npm.errors.ts';

const DIGITS = /^[A-Za-z0-9+/]*$/;
const PADDING = /^={0,2}$/;
/** A JSON escape cut off at the end of a chunk. */
const CUT_OFF = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const PLAIN: Readonly<Record<string, string>> = { '/': '/', n: '\n', r: '\r', t: '\t' };

const invalid = () => npmError(400, 'Attachment data is not valid base64.');

/** Decodes Base64 within a JSON string, chunk by chunk. */
export class Base64Decoder {
  /** Input kept for the next chunk: an escape, and fewer than four digits. */
  #escape = '';
  #digits = '';
  #padding = '';

  /** @param piece a chunk as written in JSON. @throws ApiError 400 */
  decode(piece: Buffer): Buffer {
    let text = this.#escape + piece.toString('latin1');
    this.#escape = '';
    if (text.includes('\\')) {
      const cut = CUT_OFF.exec(text);
      if (cut !== null) {
        this.#escape = cut[0];
        text = text.slice(0, cut.index);
      }
      text = text.replace(ESCAPE, (_all, hex?: string, char?: string) =>
        hex === undefined ? (PLAIN[char!] ?? '\\') : String.fromCharCode(Number.parseInt(hex, 16)),
      );
    }
    text = this.#digits + text.replace(/[\r\n\t ]+/g, '');
    const padding = text.indexOf('=');
    if (padding !== -1) {
      this.#padding += text.slice(padding);
      text = text.slice(0, padding);
      if (!PADDING.test(this.#padding)) throw invalid();
    } else if (this.#padding !== '' && text !== this.#digits) throw invalid();
    if (!DIGITS.test(text)) throw invalid();
    const whole = text.length - (text.length % 4);
    this.#digits = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  }

  /** Returns the last bytes. @throws ApiError 400 */
  end(): Buffer {
    if (this.#escape !== '' || this.#digits.length === 1) throw invalid();
    return Buffer.from(this.#digits, 'base64');
  }
}
