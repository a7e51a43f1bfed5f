/** The style sheet of all pages: light and dark, narrow and wide, and on paper. */
export const baseStyles = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e4e8ee);
  --quiet: light-dark(#57606a, #a3adba);
  --back: light-dark(#fff, #14171c);
  --raised: light-dark(#f4f6f8, #1d2229);
  --line: light-dark(#d5dae0, #363d47);
  --link: light-dark(#0550ae, #79b8ff);
  --strong: light-dark(#0550ae, #388bfd);
  --on-strong: light-dark(#fff, #0b0d10);
  --good: light-dark(#116329, #56d364);
  --bad: light-dark(#a40e26, #ff8b85);
  --warn: light-dark(#7a4b00, #e3b341);
  --added: light-dark(#dafbe1, #12361f);
  --removed: light-dark(#ffe3e1, #441a1c);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 0.9375rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover, main p a, h2 a, .quiet a, .text a, footer a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--strong); outline-offset: 2px; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.5rem; }
code, pre, kbd, .mono { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--back); padding: 0.5rem; z-index: 1; }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; padding: 0.5rem 1rem; background: var(--raised); border-bottom: 1px solid var(--line); }
.bar .name { font-weight: 600; color: var(--text); }
.bar .right { margin-left: auto; display: flex; gap: 1rem; align-items: center; }
main, footer { max-width: 75rem; margin: 0 auto; padding: 1rem; }
footer { color: var(--quiet); border-top: 1px solid var(--line); margin-top: 2rem; }
.trail { color: var(--quiet); margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem; }
.trail li + li::before { content: "/"; margin-right: 0.25rem; }
.tabs { display: flex; gap: 0.25rem; overflow-x: auto; border-bottom: 1px solid var(--line); margin: 0.75rem 0 1rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: 0.4rem 0.75rem; color: var(--text); white-space: nowrap; border-bottom: 2px solid transparent; }
.tabs a[aria-current] { border-color: var(--strong); font-weight: 600; }
.count { background: var(--line); border-radius: 1rem; padding: 0 0.4rem; font-size: 0.8125rem; }
.quiet { color: var(--quiet); }
.rows { list-style: none; margin: 0 0 1rem; padding: 0; border: 1px solid var(--line); border-radius: 6px; }
.rows > li { padding: 0.6rem 0.9rem; }
.rows > li + li { border-top: 1px solid var(--line); }
.rows .title { font-weight: 600; color: var(--text); }
.label { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 0.5rem; font-size: 0.8125rem; }
.dot { display: inline-block; width: 0.65rem; height: 0.65rem; border-radius: 50%; margin-right: 0.3rem; border: 1px solid var(--line); }
.state { display: inline-block; border-radius: 1rem; padding: 0 0.6rem; font-size: 0.8125rem; font-weight: 600; border: 1px solid currentcolor; color: var(--quiet); }
.state.good { color: var(--good); } .state.bad { color: var(--bad); } .state.warn { color: var(--warn); }
.notice { border: 1px solid var(--line); border-left: 4px solid var(--strong); padding: 0.6rem 0.9rem; border-radius: 4px; background: var(--raised); }
.notice.bad { border-left-color: var(--bad); }
.box { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 1rem; overflow-x: auto; }
.box > header { background: var(--raised); border-bottom: 1px solid var(--line); padding: 0.5rem 0.9rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; }
.box > .in { padding: 0.75rem 0.9rem; }
table { border-collapse: collapse; width: 100%; }
.list th, .list td { text-align: left; padding: 0.4rem 0.9rem; vertical-align: top; }
.list tr + tr { border-top: 1px solid var(--line); }
.code td { padding: 0 0.6rem; white-space: pre; font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.code td.number { text-align: right; user-select: none; width: 1%; }
.code td.number a { color: var(--quiet); }
.code tr:target { background: light-dark(#fff8c5, #2e2706); }
.code .add { background: var(--added); } .code .delete { background: var(--removed); } .code .hunk { color: var(--quiet); background: var(--raised); }
.code td.notes, .code.parallel td.notes { white-space: normal; font: 0.9375rem/1.5 system-ui, sans-serif; padding: 0.5rem 0.9rem; }
.code.parallel { table-layout: fixed; min-width: 48rem; } .code.parallel td { white-space: pre-wrap; } .code.parallel col.number { width: 4rem; } .code.parallel td.number { width: auto; }
.code .number:target ~ td, .code .number:target { background: light-dark(#fff8c5, #3b3208); }
mark.diff-word { background: light-dark(#fff3b0, #5a4a00); color: inherit; }
form.stack { display: grid; gap: 0.75rem; max-width: 26rem; }
form.wide { display: grid; gap: 0.75rem; max-width: 50rem; }
form.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.5rem; align-items: end; margin: 0 0 1rem; }
form.inline { display: inline; }
label { display: block; font-weight: 600; }
input:not([type=checkbox], [type=radio]), textarea, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--quiet); border-radius: 4px; padding: 0.35rem 0.5rem; width: 100%; }
textarea { min-height: 8rem; }
button, .button { font: inherit; font-weight: 600; border: 1px solid var(--quiet); border-radius: 4px; background: var(--raised); color: var(--text); padding: 0.35rem 0.9rem; cursor: pointer; display: inline-block; width: auto; }
button.main, .button.main { background: var(--strong); border-color: var(--strong); color: var(--on-strong); }
button.link { border: 0; background: none; color: var(--link); padding: 0; font-weight: 400; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
.columns { display: grid; gap: 1.5rem; }
@media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr) 18rem; } }
.facts { margin: 0; } .facts dt { font-weight: 600; } .facts dd { margin: 0 0 0.75rem; }
.text img, .text video { max-width: 100%; }
.text pre { background: var(--raised); padding: 0.75rem; overflow-x: auto; border-radius: 4px; }
.text table { width: auto; display: block; overflow-x: auto; } .text th, .text td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; }
.text blockquote { margin: 0.5rem 0; padding-left: 0.75rem; border-left: 3px solid var(--line); color: var(--quiet); }
.notice + .notice { margin-top: 0.75rem; } .notice > :first-child, .text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
.thread { border-left: 3px solid var(--line); padding-left: 0.75rem; margin: 1rem 0; }
.event { display: flex; flex-wrap: wrap; gap: 0 0.4rem; margin: 0.5rem 0; } .event p { margin: 0; }
.box:target, .event:target { outline: 2px solid var(--strong); }
@media print { .bar, .tabs, footer, form, .actions { display: none; } }
`;
