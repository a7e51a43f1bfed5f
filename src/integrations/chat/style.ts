/** Markup of a chat. */
export interface Style {
  /** @param text result of `plain` */
  link(text: string, url: string): string;
  /** Escapes a text. */
  plain(text: string): string;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Escapes characters of a URL that would end a link; branch names may contain them. */
const closed = (url: string): string =>
  url.replace(/[\s<>|()"]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Markdown: `[text](url)`. */
export const MARKDOWN: Style = {
  link: (text, url) => `[${oneLine(text)}](${closed(url)})`,
  plain: (text) => text.replace(/[[\]\\]/g, '\\$&'),
};

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Slack and compatible chats: `<url|text>`. */
export const SLACK: Style = {
  link: (text, url) => `<${closed(url)}|${oneLine(text)}>`,
  plain: escaped,
};
