import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

/** A new upload, with Markdown for texts. */
export const NewUpload = Type.Object({
  id: Type.Integer(),
  alt: Type.String({ description: 'Alternative text; for images and videos without the file extension.' }),
  url: Type.String({ description: 'URL relative to the project or group.' }),
  full_path: Type.String({ description: 'URL relative to the server.' }),
  markdown: Type.String({ description: 'Markdown that embeds or links the file.' }),
});

/** An upload in a list. */
export const UploadEntity = Type.Object({
  id: Type.Integer(),
  size: Type.Integer({ description: 'Bytes.' }),
  filename: Type.String(),
  created_at: Instant(),
  uploaded_by: Nullable(Type.Object({ id: Type.Integer(), name: Type.String(), username: Type.String() })),
});
