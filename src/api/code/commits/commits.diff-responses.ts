import { Type } from 'typebox';

/** Diff of a file. */
export const Diff = Type.Object({
  diff: Type.String({ description: 'Hunks; empty where the change is too large or collapsed.' }),
  collapsed: Type.Boolean(),
  too_large: Type.Boolean(),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String({ description: 'Six octal digits; 0 for a new file.' }),
  b_mode: Type.String({ description: 'Six octal digits; 0 for a deleted file.' }),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: Type.Boolean({ description: 'Whether the file is generated, judged by its path.' }),
});
