import type { Writer } from './importing.ts';
import { issueWriter } from './relations/issues.ts';
import { mergeRequestWriter } from './relations/merge-requests.ts';
import { badgeWriter, namedWriter } from './relations/named.ts';
import { commitNoteWriter } from './relations/notes.ts';
import { protectionWriter } from './relations/protected-refs.ts';
import { releaseWriter } from './relations/releases.ts';

/** What is taken over of groups and projects, in the order in which one needs the other. */
export const WRITERS: Readonly<Record<'group' | 'project', Readonly<Record<string, Writer>>>> = {
  group: {
    labels: namedWriter('labels'),
    milestones: namedWriter('milestones'),
    badges: badgeWriter,
  },
  project: {
    labels: namedWriter('labels'),
    milestones: namedWriter('milestones'),
    project_badges: badgeWriter,
    protected_branches: protectionWriter('branch'),
    protected_tags: protectionWriter('tag'),
    releases: releaseWriter,
    issues: issueWriter,
    merge_requests: mergeRequestWriter,
    commit_notes: commitNoteWriter,
  },
};
