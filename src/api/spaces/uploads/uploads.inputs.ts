import { Type } from 'typebox';
import { pagination, Upload } from '../../../http/http.schema.ts';

export const newUpload = Type.Object({
  file: Upload({ description: 'File to upload, as a part of a multipart body.' }),
});

export const listUploads = Type.Object(pagination);

export const uploadId = Type.Object({ upload_id: Type.Integer({ description: 'Id of the upload.' }) });

export const uploadAddress = Type.Object({
  secret: Type.String({ description: 'The 32 hexadecimal digits of the upload path.' }),
  filename: Type.String({ description: 'Name of the file.' }),
});
