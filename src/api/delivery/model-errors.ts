import { ApiError, type FieldErrors } from '../../core/core.errors.ts';

const inWords = (field: string): string => {
  const words = field.replaceAll(/[._]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** 400 for validation errors as sentences: `Name has already been taken`. `base` names no field. */
export function invalidRecord(errors: FieldErrors): ApiError {
  const sentences = Object.entries(errors).flatMap(([field, texts]) =>
    texts.map((text) => (field === 'base' ? text : `${inWords(field)} ${text}`)),
  );
  return new ApiError(400, sentences.join(', '), { errors });
}
