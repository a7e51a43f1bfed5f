/**
 * A file sent in a multipart body. A class, so that no parameters of a client's making pass for one: only the reader
 * of multipart bodies makes them.
 */
export class UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  /** Where its bytes wait; removed when the request ends. */
  readonly path: string;
  size = 0;

  constructor(filename: string, contentType: string, path: string) {
    this.filename = filename;
    this.contentType = contentType;
    this.path = path;
  }
}
