import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

/** A file that has just been uploaded, as texts refer to it. */
export const NewUpload = Type.Object({
  id: Type.Integer(),
  alt: Type.String({ description: 'Name for the text; of pictures and videos without its ending.' }),
  url: Type.String({ description: 'Address below that of the project or group.' }),
  full_path: Type.String({ description: 'Address from the root of the server.' }),
  markdown: Type.String({ description: 'Markdown that shows the file, or links to it.' }),
});

/** A file in a list. */
export const UploadEntity = Type.Object({
  id: Type.Integer(),
  size: Type.Integer({ description: 'Bytes.' }),
  filename: Type.String(),
  created_at: Instant(),
  uploaded_by: Nullable(Type.Object({ id: Type.Integer(), name: Type.String(), username: Type.String() })),
});
