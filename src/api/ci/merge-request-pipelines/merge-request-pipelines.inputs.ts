import { Type } from 'typebox';

export const MergeRequestIid = {
  merge_request_iid: Type.Integer({ description: 'Number of the merge request within the project.' }),
};

export const StartPipeline = Type.Object({
  async: Type.Optional(
    Type.Boolean({ default: false, description: 'Respond immediately and create the pipeline in the background.' }),
  ),
});
