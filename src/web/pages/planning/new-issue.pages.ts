import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { html, trusted } from '../../core/template.ts';
import type { IssueRow } from './planning.rows.ts';
import { attempt, lineField, type Problem, problemNotice, textField, textOf } from './planning-forms.ts';
import { placeOf } from './planning-place.ts';

async function newIssuePage(c: PageContext, problem: Problem | null): Promise<Page> {
  const place = await placeOf(c, 'issues');
  const body = html`<h1>New issue</h1>${problemNotice(problem)}
<form class="wide" method="post" action="${c.at(place.path('issues'))}">${c.formToken}
${lineField('title', 'Title', c.field('title'), true)}
${textField('description', 'description', 'Description', textOf(c, 'description'))}
${lineField('labels', 'Labels, with commas between them', c.field('labels'))}
<div><label for="due_date">Due date</label><input id="due_date" name="due_date" type="date" value="${c.field('due_date')}"></div>
<div><label><input name="confidential" type="checkbox" value="true"${c.field('confidential') === 'true' ? trusted(' checked') : null}> Confidential</label></div>
<div class="actions"><button class="main">Create issue</button></div>
</form>`;
  return { ...place.frame, title: `New issue · ${place.project.name}`, body, status: problem?.status ?? 200 };
}

/** The form for a new issue. */
export const newIssuePages: PageRoute[] = [
  { method: 'GET', path: 'issues/new', signedIn: true, handle: (c) => newIssuePage(c, null) },
  {
    method: 'POST',
    path: 'issues',
    signedIn: true,
    handle: async (c) => {
      const place = await placeOf(c, 'issues');
      const dueDate = c.field('due_date');
      const outcome = await attempt(() =>
        c.api.send<IssueRow>('POST', `${place.api}/issues`, {
          title: c.field('title'),
          description: textOf(c, 'description'),
          labels: c.field('labels'),
          confidential: c.field('confidential') === 'true',
          ...(dueDate === '' ? {} : { due_date: dueDate }),
        }),
      );
      return 'done' in outcome
        ? { redirect: place.path(`issues/${outcome.done.iid}`) }
        : newIssuePage(c, outcome.problem);
    },
  },
];
