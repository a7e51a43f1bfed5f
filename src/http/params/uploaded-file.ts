/**
 * A file of a multipart body. A class, so that parameters of a client cannot imitate it: only the multipart reader
 * creates it.
 */
export class UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  /** Path of its content; removed when the request ends. */
  readonly path: string;
  size = 0;

  constructor(filename: string, contentType: string, path: string) {
    this.filename = filename;
    this.contentType = contentType;
    this.path = path;
  }
}
