import { ApiError } from '../core/core.errors.ts';
import type { IssueLinks } from './markup.issue-links.ts';

/** A text to be rendered as HTML. */
export interface MarkupRequest {
  text: string;
  /** `markdown`; any other format is shown as plain text. */
  format: string;
  /** Base URL of the wiki for relative links, without a trailing slash. */
  base: string;
  /** Slug of the page that `./` links and file links are relative to. */
  slug: string;
  /** External issue tracker whose issues are linked. */
  issues?: IssueLinks;
}

/** Maximum length of the resulting HTML. */
export const MAX_HTML = 8 * 1024 * 1024;

/** The refusal of a text that is too long or complex. */
export const tooLarge = () =>
  new ApiError(422, 'The text is too long or complex to be rendered. Request its source instead.');
