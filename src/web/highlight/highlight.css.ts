/** Classes by colour: on white and light grey, and on black and dark grey. */
const COLORS: readonly (readonly [classes: string, light: string, dark: string])[] = [
  ['comment quote formula', '#57606a', '#9198a1'],
  ['keyword doctag template-tag template-variable type built_in', '#a8182c', '#ff8b82'],
  ['title section', '#6639ba', '#d2a8ff'],
  [
    'attr attribute literal meta number property variable selector-attr selector-class selector-id',
    '#0550ae',
    '#79c0ff',
  ],
  ['string regexp link code', '#0a3069', '#a5d6ff'],
  ['symbol bullet name tag selector-tag selector-pseudo addition', '#0f5a23', '#7ee787'],
  ['deletion', '#82071e', '#ffa198'],
  ['subst', '#1f2328', '#e6edf3'],
];

/**
 * Style sheet of highlighted texts. Light or dark follows `color-scheme` of what is around.
 */
export const highlightStyles: string = [
  ...COLORS.map(([classes, light, dark]) => {
    const selectors = classes.split(' ').map((name) => `.hljs-${name}`);
    return `${selectors.join(',')}{color:light-dark(${light},${dark})}`;
  }),
  '.hljs-emphasis{font-style:italic}',
  '.hljs-strong,.hljs-section{font-weight:600}',
  '.hljs-link{text-decoration:underline}',
].join('\n');
