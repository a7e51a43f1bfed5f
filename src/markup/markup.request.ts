import { ApiError } from '../core/core.errors.ts';
import type { IssueLinks } from './markup.issue-links.ts';

/** A text to be turned into HTML. */
export interface MarkupRequest {
  text: string;
  /** `markdown`; any other is shown as it is. */
  format: string;
  /** Address of the wiki that relative links stand below, without a closing slash. */
  base: string;
  /** Slug of the page, which links with `./` and those to files start from. */
  slug: string;
  /** The tracker elsewhere whose issues the text may name. */
  issues?: IssueLinks;
}

/** Characters of HTML that a text may become. */
export const MAX_HTML = 8 * 1024 * 1024;

/** The refusal of a text that is too long or too involved. */
export const tooLarge = () =>
  new ApiError(422, 'The text takes too much time or memory to be rendered. Ask for its source.');
