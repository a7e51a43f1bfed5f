import { npmError } from './npm.errors.ts';

const DIGITS = /^[A-Za-z0-9+/]*$/;
const PADDING = /^={0,2}$/;
/** An escape of JSON that the end of a piece cut off. */
const CUT_OFF = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const PLAIN: Readonly<Record<string, string>> = { '/': '/', n: '\n', r: '\r', t: '\t' };

const invalid = () => npmError(400, 'Attachment data is not valid base64.');

/** Turns base64 in a text of JSON, piece by piece, into the bytes that it stands for. */
export class Base64Decoder {
  /** What waits for more: an escape, and digits that are not four yet. */
  #escape = '';
  #digits = '';
  #padding = '';

  /** @param piece as it stands in the JSON text. @throws ApiError 400 */
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

  /** The last bytes. @throws ApiError 400 */
  end(): Buffer {
    if (this.#escape !== '' || this.#digits.length === 1) throw invalid();
    return Buffer.from(this.#digits, 'base64');
  }
}
