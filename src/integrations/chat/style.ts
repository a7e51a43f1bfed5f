/** How a chat writes links and texts. */
export interface Style {
  link(text: string, url: string): string;
  /** A text as it is, whatever signs it has. */
  plain(text: string): string;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Markdown: `[text](url)`. */
export const MARKDOWN: Style = {
  link: (text, url) => `[${oneLine(text)}](${url})`,
  plain: (text) => text.replace(/[[\]]/g, '\\$&'),
};

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** That of Slack and those that follow it: `<url|text>`. */
export const SLACK: Style = {
  link: (text, url) => `<${url}|${oneLine(text)}>`,
  plain: escaped,
};
