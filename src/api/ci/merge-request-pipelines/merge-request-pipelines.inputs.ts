import { Type } from 'typebox';

export const MergeRequestIid = {
  merge_request_iid: Type.Integer({ description: 'Number of the merge request in the project.' }),
};

export const StartPipeline = Type.Object({
  async: Type.Optional(
    Type.Boolean({ default: false, description: 'Answer at once, and make the pipeline after that.' }),
  ),
});
