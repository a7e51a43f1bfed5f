import { Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Content, Enum, Filled, Instant, Nullable, pagination } from '../../../http/http.schema.ts';
import type { ParamRules } from '../../../http/params/coerce.ts';

/** More than a snippet can have; the exact limit is checked when the files are known. */
const MAX_ACTIONS = 100;

const filePath = { description: 'Path of the file in the snippet.' };

const previousPath = Type.Optional(Type.String({ description: 'Previous path of the file; only for `move`.' }));

const attributes = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 1_048_576 }))),
  visibility: Type.Optional(
    Enum(VISIBILITIES, {
      description: 'Visibility; for new snippets `internal` when absent, for new project snippets `private`.',
    }),
  ),
};

const oneFile = {
  content: Type.Optional(Content({ minLength: 1, description: 'Deprecated: content of the only file.' })),
  file_name: Type.Optional(Type.String({ description: 'Deprecated: name of the only file.' })),
};

export const CreateSnippetInput = Type.Object({
  title: Type.String({ maxLength: 255 }),
  files: Type.Optional(
    Type.Array(Type.Object({ file_path: Filled(filePath), content: Content({ minLength: 1 }) }), {
      minItems: 1,
      maxItems: MAX_ACTIONS,
    }),
  ),
  ...attributes,
  ...oneFile,
});

export const createRules: ParamRules = { exactlyOne: [['files', 'content']] };

export const UpdateSnippetInput = Type.Object({
  title: Type.Optional(Filled({ maxLength: 255 })),
  files: Type.Optional(
    Type.Array(
      Type.Object({
        action: Enum(['create', 'update', 'delete', 'move']),
        file_path: Type.Optional(Type.String(filePath)),
        previous_path: previousPath,
        content: Type.Optional(Content()),
      }),
      { maxItems: MAX_ACTIONS },
    ),
  ),
  ...attributes,
  ...oneFile,
});

export const updateRules: ParamRules = {
  mutuallyExclusive: [
    ['files', 'content'],
    ['files', 'file_name'],
  ],
  atLeastOne: [['content', 'description', 'files', 'file_name', 'title', 'visibility']],
};

const dates = {
  created_after: Type.Optional(Instant({ description: 'Only snippets created at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Only snippets created at this time or earlier.' })),
};

export const SnippetListInput = Type.Object({ ...dates, ...pagination });

export const AllSnippetsInput = Type.Object({
  ...dates,
  repository_storage: Type.Optional(Type.String({ description: 'Name of a storage; for administrators.' })),
  ...pagination,
});
