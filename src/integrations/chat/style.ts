/** How a chat writes links and texts. */
export interface Style {
  /** @param text as `plain` gives it */
  link(text: string, url: string): string;
  /** A text as it is, whatever signs it has. */
  plain(text: string): string;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** An address without the signs that end it in a link of a chat, which names of branches may have. */
const closed = (url: string): string =>
  url.replace(/[\s<>|()"]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Markdown: `[text](url)`. */
export const MARKDOWN: Style = {
  link: (text, url) => `[${oneLine(text)}](${closed(url)})`,
  plain: (text) => text.replace(/[[\]\\]/g, '\\$&'),
};

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** That of Slack and those that follow it: `<url|text>`. */
export const SLACK: Style = {
  link: (text, url) => `<${closed(url)}|${oneLine(text)}>`,
  plain: escaped,
};
