import { Type } from 'typebox';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { Label } from '../labels/labels.responses.ts';
import { Milestone } from '../milestones/milestones.responses.ts';

const common = {
  id: Type.Integer(),
  user: Nullable(UserBasic),
  created_at: Instant(),
};

const ofResource = {
  ...common,
  resource_type: Enum(['Issue', 'MergeRequest']),
  resource_id: Type.Integer({ description: 'Id of the issue or merge request.' }),
};

const action = Enum(['add', 'remove']);

export const ResourceLabelEvent = Type.Object({
  ...ofResource,
  label: Nullable(Label),
  action,
});

export const ResourceMilestoneEvent = Type.Object({
  ...ofResource,
  milestone: Nullable(Milestone),
  action,
  state: Enum(['opened', 'closed', 'locked', 'merged'], {
    description: 'State of the issue or merge request at that time.',
  }),
});

export const ResourceStateEvent = Type.Object({
  ...ofResource,
  source_commit: Nullable(Type.String({ description: 'Commit that closed it.' })),
  source_merge_request_id: Nullable(Type.Integer({ description: 'Id of the merge request that closed it.' })),
  state: Enum(['closed', 'reopened', 'merged']),
});

export const ResourceWeightEvent = Type.Object({
  ...common,
  issue_id: Type.Integer({ description: 'Id of the issue, not its iid.' }),
  weight: Nullable(Type.Integer()),
});

export const ResourceIterationEvent = Type.Object({
  ...ofResource,
  iteration: Nullable(
    Type.Object({
      id: Type.Integer(),
      iid: Type.Integer(),
      group_id: Type.Integer(),
      title: Nullable(Type.String()),
      description: Nullable(Type.String()),
      state: Type.Integer(),
      created_at: Instant(),
      updated_at: Instant(),
      start_date: Nullable(Day()),
      due_date: Nullable(Day()),
    }),
  ),
  action,
});
