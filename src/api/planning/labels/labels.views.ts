import { escapeHtml } from '../../../core/html.ts';
import type { Label as LabelRow } from '../../../db/tables/labels.table.ts';
import type { Label } from './labels.responses.ts';

const LIGHT_TEXT = '#FFFFFF';

const DARK_TEXT = '#1F1E24';

/** Sum of red, green and blue (0 to 765) above which a background is light and gets dark text. */
const LIGHT_SUM = 500;

/** Text colour with enough contrast on a background (`#rrggbb` or `#rgb`). */
function textColor(color: string): string {
  const digits = color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color;
  const rgb = Number.parseInt(digits.slice(1), 16);
  return (rgb >> 16) + ((rgb >> 8) & 0xff) + (rgb & 0xff) > LIGHT_SUM ? DARK_TEXT : LIGHT_TEXT;
}

/** Presents a label. */
export const presentLabel = (label: LabelRow): Label => ({
  id: label.id,
  name: label.name,
  description: label.description,
  description_html: label.description === null ? null : escapeHtml(label.description),
  text_color: textColor(label.color),
  color: label.color,
  archived: label.archived === 1,
});
