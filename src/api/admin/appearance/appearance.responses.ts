import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** Images of the appearance of the server. */
export const PICTURES = ['logo', 'header_logo', 'pwa_icon', 'favicon'] as const;

export type PictureName = (typeof PICTURES)[number];

export const text = (description: string, maxLength = 10_000) => Type.String({ maxLength, description });

/** A colour as `#rgb` or `#rrggbb`; empty for the default. */
const color = (description: string) =>
  Type.String({
    pattern: '^(?:#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))?$',
    description: `${description}, as #rrggbb; empty for the default.`,
  });

export const texts = {
  title: text('Title of the sign-in page.', 255),
  description: text('Text of the sign-in page, Markdown.'),
  pwa_name: text('Name of the installed web application.', 255),
  pwa_short_name: text('Short name of the installed web application.', 255),
  pwa_description: text('Description of the installed web application.', 2_048),
  member_guidelines: text('Guidelines on the members page for users who may change members, Markdown.', 4_096),
  new_project_guidelines: text('Guidelines on the new project page, Markdown.'),
  profile_image_guidelines: text('Guidelines beside the avatar setting, Markdown.', 4_096),
  header_message: text('Message at the top of every page.'),
  footer_message: text('Message at the bottom of every page.'),
  message_background_color: color('Background colour of these messages'),
  message_font_color: color('Text colour of these messages'),
  email_header_and_footer_enabled: Type.Boolean({ description: 'Whether mails contain these messages as well.' }),
};

const address = (what: string) =>
  Nullable(Type.String({ description: `Path of ${what}, relative to the server URL.` }));

export const Appearance = Type.Object({
  ...texts,
  logo: address('the image beside the sign-in form'),
  header_logo: address('the image in the page header'),
  pwa_icon: address('the image of the installed web application'),
  favicon: address('the image in browser tabs'),
});

export type AppearanceTexts = { -readonly [K in keyof typeof texts]: Static<(typeof texts)[K]> };

export const DEFAULT_TEXTS: AppearanceTexts = {
  title: '',
  description: '',
  pwa_name: '',
  pwa_short_name: '',
  pwa_description: '',
  member_guidelines: '',
  new_project_guidelines: '',
  profile_image_guidelines: '',
  header_message: '',
  footer_message: '',
  message_background_color: '#e75e40',
  message_font_color: '#ffffff',
  email_header_and_footer_enabled: false,
};
