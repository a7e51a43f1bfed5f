import { rgbOf } from './job-log.style.ts';

type Rgb = [number, number, number];

/** What is behind the log. */
const PAGE: { light: Rgb; dark: Rgb } = { light: [255, 255, 255], dark: [22, 27, 34] };
const TEXT = 'light-dark(#1f2328,#e6edf3)';
/** Contrast that texts have at least. */
const MIN_CONTRAST = 4.5;
/** The sixteen colours that terminals choose: dark ones, then bright ones. */
const NAMED: readonly Rgb[] = [
  ...([
    [0, 0, 0],
    [187, 38, 38],
    [30, 122, 52],
    [148, 98, 0],
    [40, 92, 205],
    [146, 54, 160],
    [16, 122, 134],
  ] as Rgb[]),
  ...([
    [204, 204, 204],
    [110, 118, 129],
    [255, 99, 91],
    [63, 200, 90],
    [226, 178, 60],
    [98, 160, 255],
  ] as Rgb[]),
  ...([
    [214, 130, 230],
    [57, 197, 207],
    [255, 255, 255],
  ] as Rgb[]),
];

const colorOf = (color: number): Rgb => NAMED[color] ?? rgbOf(color);
const hex = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return Math.max(a, b) / Math.min(a, b);
}

/** A colour, mixed with as much black or white as it needs to be read on a background. */
function readable(color: Rgb, on: Rgb): Rgb {
  const other = luminance(on) > 0.5 ? 0 : 255;
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = color.map((value) => Math.round(value + (other - value) * part)) as Rgb;
    if (contrast(mixed, on) >= MIN_CONTRAST) return mixed;
  }
  return [other, other, other];
}

function colorRules(color: number): string {
  const rgb = colorOf(color);
  const light = hex(readable(rgb, PAGE.light));
  const dark = hex(readable(rgb, PAGE.dark));
  const above = contrast(rgb, [0, 0, 0]) > contrast(rgb, [255, 255, 255]) ? '#000' : '#fff';
  return `.log-fg-${color}{color:${light === dark ? light : `light-dark(${light},${dark})`}}
.log-bg-${color}{background:${hex(rgb)};color:${above}}
.log-ink-${color}{color:${hex(rgb)}}`;
}

/** Style sheet of logs, in an element of class `log`. Light or dark follows `color-scheme` of what is around. */
export const jobLogStyles: string = [
  `.log{background:light-dark(${hex(PAGE.light)},${hex(PAGE.dark)});color:${TEXT};font:0.8125rem/1.5 ui-monospace,"DejaVu Sans Mono",monospace}`,
  '.log-line{display:flex;gap:1ch}',
  '.log-line:target,.log-section:target>details>summary{background:light-dark(#fff8c5,#3a3000)}',
  '.log-number{flex:none;min-width:6ch;text-align:right;color:light-dark(#57606a,#9198a1);text-decoration:none;user-select:none}',
  '.log-number:hover{text-decoration:underline}',
  '.log-time{flex:none;color:light-dark(#57606a,#9198a1);user-select:none}',
  '.log-text{flex:1;min-width:0;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:8;unicode-bidi:isolate}',
  '.log-text a{color:inherit;text-decoration:underline}',
  '.log-section{position:relative}',
  '.log-section>.log-number{position:absolute;top:0;left:0}',
  '.log-section summary{cursor:pointer;padding:0 8ch 0 7ch}',
  '.log-section summary .log-text::before{content:"\\25b8\\a0"}',
  '.log-section [open]>summary .log-text::before{content:"\\25be\\a0"}',
  '.log-duration{position:absolute;top:0;right:0;padding:0 1ch;color:light-dark(#57606a,#9198a1)}',
  '.log-bold{font-weight:700}',
  '.log-dim{opacity:.8}',
  '.log-italic{font-style:italic}',
  '.log-underline{text-decoration:underline}',
  '.log-strike{text-decoration:line-through}',
  '.log-underline.log-strike{text-decoration:underline line-through}',
  ...Array.from({ length: 256 }, (_, color) => colorRules(color)),
  `.log-bg-text{background:${TEXT};color:light-dark(${hex(PAGE.light)},${hex(PAGE.dark)})}`,
  `.log-ink-page{color:light-dark(${hex(PAGE.light)},${hex(PAGE.dark)})}`,
].join('\n');
