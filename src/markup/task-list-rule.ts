import type { MarkdownIt, Token } from 'markdown-it';

const MARK = /^\[([ xX\u00a0])\](?=[ \t\n]|$)/;

/** Items that begin with `[ ]` or `[x]`: shown as check boxes, which cannot be changed. */
export function taskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'task_lists', (state) => {
    const { tokens } = state;
    const lists: Token[] = [];
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      if (token.type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open') continue;
      const [first] = token.children ?? [];
      const mark = first?.type === 'text' ? MARK.exec(first.content) : null;
      if (mark === null) continue;
      first!.content = first!.content.slice(mark[0].length);
      const box = new state.Token('task_box', 'input', 0);
      box.attrs = [
        ['type', 'checkbox'],
        ['class', 'task-list-item-checkbox'],
        ['disabled', ''],
        ...(mark[1]!.toLowerCase() === 'x' ? ([['checked', '']] as [string, string][]) : []),
      ];
      token.children!.unshift(box);
      tokens[index - 2]!.attrSet('class', 'task-list-item');
      lists.at(-1)!.attrSet('class', 'task-list');
    }
  });
}
