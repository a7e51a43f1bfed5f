import { ApiError } from '../core/core.errors.ts';
import type { IssueLinks } from './markup.issue-links.ts';

/** A text to be rendered as HTML: plain data, so that a thread can take it. */
export interface MarkupRequest {
  text: string;
  /** `markdown`; any other format is shown as plain text. */
  format: string;
  /**
   * What relative links are relative to, without a trailing slash: the URL of a wiki, or of a project. Empty if there is
   * nothing: relative links stay as they are.
   */
  base: string;
  /** Slug of the page that `./` links and file links are relative to, in a wiki. */
  slug: string;
  /** Where the text is in the repository of the project `base`: links lead to its files at that ref. */
  file?: FilePlace;
  /** External issue tracker whose issues are linked. */
  issues?: IssueLinks;
  /**
   * Base URL of this server, if what the text names (`#1`, `@ada`, emoji such as `:tada:`) is to be shown as more than
   * text.
   */
  server?: string;
  /** `link` shows images of other servers as links, so that they learn of no reader. */
  remoteImages?: 'keep' | 'link';
}

/** Place of a text in a repository. */
export interface FilePlace {
  /** Branch, tag or commit. */
  ref: string;
  /** Folder of the file, without slashes at its ends; empty for the root. */
  folder: string;
}

/** Maximum length of the resulting HTML. */
export const MAX_HTML = 8 * 1024 * 1024;

/** The refusal of a text that is too long or complex. */
export const tooLarge = () =>
  new ApiError(422, 'The text is too long or complex to be rendered. Request its source instead.');
