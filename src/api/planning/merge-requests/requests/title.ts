import type { FieldErrors } from '../../../../core/core.errors.ts';

const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:)/i;
const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;

/** Whether the title marks a merge request as a draft. */
export const isDraftTitle = (title: string): boolean => DRAFT.test(title);

/** Adds or removes the draft prefix of a title. */
export function withDraft(title: string, draft: boolean): string {
  if (isDraftTitle(title) === draft) return title;
  return draft ? `Draft: ${title}` : title.replace(/^(?:\s*(?:\[draft\]|\(draft\)|draft:))+\s*/i, '');
}

/** Validates title and description; returns the platform's errors. */
export function textErrors({ title, description }: { title?: string; description?: string | null }): FieldErrors {
  const errors: FieldErrors = {};
  if (title !== undefined) {
    if (title.trim() === '') errors.title = ["can't be blank"];
    else if ([...title].length > MAX_TITLE) errors.title = [`is too long (maximum is ${MAX_TITLE} characters)`];
  }
  if (description != null && description.length > MAX_DESCRIPTION) {
    errors.description = [`is too long (maximum is ${MAX_DESCRIPTION} characters)`];
  }
  return errors;
}
